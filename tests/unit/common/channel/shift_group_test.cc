#include "common/channel/shift_group.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/support/small_domains.h"

namespace hearsay {
namespace {

// Checks the definition of the difference z: z_i + s_i ≡ x_i for every attribute i.
TEST_CASE("records are subtracted attribute by attribute") {
  for (const char* shape : {"b", "r5", "b c3", "r4 b r3", "b b b", "r7 b"}) {
    CAPTURE(shape);
    const Schema schema = tests::schema_of(shape);
    const std::vector<Record> records = tests::all_records(schema);
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < schema.size(); ++i) values.push_back(schema[i].size());
    const ShiftGroup group(values);
    REQUIRE(group.size() == records.size());
    std::size_t wrong = 0;
    for (std::uint32_t x = 0; x < records.size(); ++x) {
      for (std::uint32_t z = 0; z < records.size(); ++z) {
        const std::uint32_t s = group.difference(x, z);
        REQUIRE(s < records.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          wrong += (records[z][i] + records[s][i]) % values[i] == records[x][i] ? 0 : 1;
        }
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the largest groups are subtracted without overflow") {
  const ShiftGroup line({8192});
  CHECK(line.difference(0, 8191) == 1);
  CHECK(line.difference(8191, 0) == 8191);
  const ShiftGroup bits(std::vector<std::uint32_t>(13, 2));
  CHECK(bits.size() == 8192);
  CHECK(bits.difference(0x1555, 0x0F0F) == (0x1555 ^ 0x0F0F));
}

}  // namespace
}  // namespace hearsay
