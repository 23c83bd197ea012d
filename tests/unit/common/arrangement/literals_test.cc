#include "common/arrangement/literals.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "common/arrangement/arrangement.h"
#include "tests/support/small_domains.h"
#include "tests/unit/common/arrangement/l1_distance.h"

namespace hearsay {
namespace {

using tests::all_records;
using tests::schema_of;

const std::vector<std::string> kLiteralShapes = {
    "b",    "b b b", "c2",       "c3",    "c7",      "r2",      "r3",      "r9",        "b c3",        "c3 b",
    "r4 b", "r4 c3", "c2 c2 c2", "r2 r2", "b r2 c2", "b c4 r5", "r3 c3 b", "c5 b b r4", "b b c3 r3 b", "r6 b c2 r2"};

// Returns the coordinates of one value by their definition. Each coordinate is a statement about the value.
std::vector<int> statements(const Attribute& attribute, std::uint32_t value) {
  std::vector<bool> holds;
  switch (attribute.kind()) {
    case AttributeKind::kBoolean:
      holds.push_back(attribute.value_text(value) == "yes");
      break;
    case AttributeKind::kCategorical:
      for (const std::string& name : attribute.values()) holds.push_back(attribute.value_text(value) == name);
      break;
    case AttributeKind::kRange:
      for (auto t = attribute.min() + 1; t <= attribute.max(); ++t) holds.push_back(attribute.min() + value >= t);
      break;
  }
  std::vector<int> signs;
  for (const bool h : holds) signs.push_back(h ? 1 : -1);
  return signs;
}

std::vector<std::int8_t> embed(const Literals& literals, const Record& record) {
  std::vector<std::int8_t> a(literals.dimension());
  literals.encode(record, a);
  return a;
}

TEST_CASE("every record's embedding states each literal") {
  for (const std::string& shape : kLiteralShapes) {
    CAPTURE(shape);
    const Schema schema = schema_of(shape);
    const Literals literals = Literals::create(schema).value();
    std::set<std::vector<std::int8_t>> seen;
    for (const Record& record : all_records(schema)) {
      std::vector<int> expected;
      for (std::size_t i = 0; i < schema.size(); ++i) {
        const std::vector<int> block = statements(schema[i], record[i]);
        expected.insert(expected.end(), block.begin(), block.end());
      }
      const std::vector<std::int8_t> a = embed(literals, record);
      REQUIRE(std::equal(a.begin(), a.end(), expected.begin(), expected.end()));
      seen.insert(a);
    }
    CHECK(seen.size() == schema.universe_size());
  }
}

TEST_CASE("blocks lie side by side, and each block is the embedding of its attribute") {
  for (const std::string& shape : kLiteralShapes) {
    CAPTURE(shape);
    const Schema schema = schema_of(shape);
    const Literals literals = Literals::create(schema).value();
    REQUIRE(literals.blocks().size() == schema.size());
    std::size_t offset = 0;
    for (std::size_t b = 0; b < schema.size(); ++b) {
      const AttributeBlock& block = literals.blocks()[b];
      CHECK(block.offset == offset);
      offset += block.size;
      for (std::uint32_t value = 0; value < schema[b].size(); ++value) {
        std::vector<std::int8_t> a(block.size);
        literals.encode_attribute(b, value, a);
        const std::vector<int> expected = statements(schema[b], value);
        CHECK(std::equal(a.begin(), a.end(), expected.begin(), expected.end()));
      }
    }
    CHECK(literals.dimension() == offset);
  }
}

TEST_CASE("the sensitivities are the largest distances between embeddings") {
  for (const std::string& shape : kLiteralShapes) {
    CAPTURE(shape);
    const Schema schema = schema_of(shape);
    const Literals literals = Literals::create(schema).value();
    std::vector<std::vector<std::int8_t>> embeddings;
    for (const Record& record : all_records(schema)) embeddings.push_back(embed(literals, record));
    std::uint64_t largest = 0;
    std::vector<std::uint64_t> largest_in_block(schema.size(), 0);
    for (const auto& a : embeddings) {
      for (const auto& b : embeddings) {
        largest = std::max(largest, l1_distance(a, b));
        for (std::size_t i = 0; i < schema.size(); ++i) {
          const AttributeBlock& block = literals.blocks()[i];
          const auto part = [&](const std::vector<std::int8_t>& all) {
            const auto first = all.begin() + static_cast<std::ptrdiff_t>(block.offset);
            return std::vector<std::int8_t>(first, first + static_cast<std::ptrdiff_t>(block.size));
          };
          largest_in_block[i] = std::max(largest_in_block[i], l1_distance(part(a), part(b)));
        }
      }
    }
    CHECK(literals.sensitivity() == largest);
    for (std::size_t i = 0; i < schema.size(); ++i) CHECK(literals.blocks()[i].sensitivity == largest_in_block[i]);
  }
}

TEST_CASE("the dimension is limited") {
  const auto range_of = [](std::int64_t values) {
    return Schema::create({Attribute::boolean("b").value(), Attribute::range("r", 1, values).value()}).value();
  };
  const auto largest = Literals::create(range_of(65'536));  // 1 + 65,535 coordinates
  REQUIRE(largest);
  CHECK(largest->dimension() == Literals::kMaxDimension);
  CHECK(largest->sensitivity() == 2 + 2 * 65'535);

  const auto beyond = Literals::create(range_of(65'537));
  REQUIRE_FALSE(beyond);
  CHECK(beyond.error().code == ErrorCode::kLimitExceeded);

  std::vector<Attribute> wide;
  for (int i = 0; i < 4096; ++i) wide.push_back(Attribute::range("r" + std::to_string(i), 0, 1 << 19).value());
  const auto far_beyond = Literals::create(Schema::create(std::move(wide)).value());
  REQUIRE_FALSE(far_beyond);
  CHECK(far_beyond.error().code == ErrorCode::kLimitExceeded);
}

TEST_CASE("a task's specification gives the arrangement") {
  const Schema schema = schema_of("b c3 r4");
  const Arrangement arrangement = Arrangement::create(LiteralsSpec{}, schema).value();
  const Literals literals = Literals::create(schema).value();
  CHECK(arrangement.dimension() == literals.dimension());
  CHECK(arrangement.sensitivity().value() == literals.sensitivity());
  for (const Record& record : all_records(schema)) {
    std::vector<std::int8_t> a(arrangement.dimension());
    arrangement.encode(record, a);
    CHECK(a == embed(literals, record));
  }
}

}  // namespace
}  // namespace hearsay
