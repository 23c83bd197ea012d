#include "aggregator/compiler/record_block.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/bit_sources.h"
#include "tests/unit/aggregator/compiler/brute_force.h"

namespace hearsay::compiler {
namespace {

using tests::Generator;

void check_evaluation(const std::string& text, const Schema& schema, Generator& random) {
  CAPTURE(text);
  CAPTURE(schema.to_json());
  const Query query = tests::parse(schema, text);
  const std::vector<Cells> axes = distinguished_cells(query, schema, tests::work());
  const BlockQuery of_blocks(query, schema.size(), axes);
  RecordBlock block(axes);
  std::uint64_t expected = 0;
  for (std::uint32_t r = 0; r < RecordBlock::kRecords; ++r) {
    std::vector<std::uint32_t> values;
    for (const Attribute& attribute : schema.attributes()) {
      values.push_back(static_cast<std::uint32_t>(random.below(attribute.size())));
    }
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const std::uint32_t cell = axes[axis].cell_of[values[axes[axis].attribute]];
      block.set_cell(axis, r, cell);
      CHECK(block.cell(axis, r) == cell);
    }
    expected |= std::uint64_t{query.evaluate(values)} << r;
  }
  CHECK(of_blocks.evaluate(block) == expected);
}

TEST_CASE("a query on a block of random records has its answers about the single records") {
  tests::CounterBitSource bits("record blocks");
  Generator random(bits);
  for (int round = 0; round < 100; ++round) {
    const Schema schema = random.schema();
    for (const auto kind : Generator::kKinds) check_evaluation(random.query(schema, kind), schema, random);
  }
}

TEST_CASE("a block of records evaluates counts, sums and constants") {
  tests::CounterBitSource bits("record blocks of many");
  Generator random(bits);
  const Schema schema = tests::schema_of({Attribute::range("n", -9'000'000'000'000'000, -8'999'999'999'999'990),
                                          Attribute::range("m", 7, 12), Attribute::boolean("x"),
                                          Attribute::boolean("y"), Attribute::boolean("z")});
  for (const char* text :
       {"1024*n - 128*m + x >= -9215999999999996000", "1025*n + m >= -9223372036854775800",  // the sum is below -2^63
        "at_least(1, x, y)", "at_least(3, x, y, z, m >= 9, m <= 10)", "m >= 3 and x", "m in {99} or y",
        "decision_list(m >= 9: no, x: yes, y: no, else: yes)"}) {
    check_evaluation(text, schema, random);
  }
}

}  // namespace
}  // namespace hearsay::compiler
