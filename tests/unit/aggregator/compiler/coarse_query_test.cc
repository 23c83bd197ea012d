// Compares queries about cells with queries about values, on all records.
#include "aggregator/compiler/coarse_query.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "aggregator/compiler/question_law.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "tests/support/cut_tasks.h"
#include "tests/support/small_domains.h"

namespace hearsay::compiler {
namespace {

using tests::all_records;
using tests::schema_of;

std::vector<Query> parsed(const Schema& schema, const std::vector<std::string>& texts) {
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back(Query::parse(schema, text).value());
  return queries;
}

std::vector<Cuts> cuts_of(const Schema& schema, const std::vector<std::string>& texts) {
  Work work;
  return cuts_for(parsed(schema, texts), schema, work);
}

const std::vector<std::vector<std::string>> kLists{
    {"a1 >= 3"},
    {"a1 in 0..3"},
    {"a1 >= 0 and a1 < 4", "not (a1 < 0 or a1 >= 4)"},
    {"a1 in {-2, 3, 5} and a2 >= 1", "a0 or a2 = 2", "not a1 in {-2, 3, 5}"},
    {"a1 >= 1", "a1 >= 4", "a1 in 2..3 and (a0 or a1 = 2)"},
    {"at_least(2, a0, a1 >= 6, a2 = 0, a1 < 1)"},
    {"decision_list(a1 >= 6: yes, a2 < 0 and a2 > -2: no, else: yes)", "a1 = 9 or a0"},
};

TEST_CASE("a query about cells agrees with the query about values on every record") {
  const Schema schema = schema_of("b r12 r7");
  for (const auto& texts : kLists) {
    const std::vector<Cuts> cuts = cuts_of(schema, texts);
    REQUIRE_FALSE(cuts.empty());
    const Coarsening coarsening = Coarsening::create(schema, cuts).value();
    for (const Query& query : parsed(schema, texts)) {
      CAPTURE(query.as_written(schema));
      const Query coarse = coarse_query(query, schema, coarsening).value();
      CHECK(coarse.as_written(coarsening.schema()) == query.as_written(schema));
      for (const Record& record : all_records(schema)) {
        CHECK(coarse.evaluate(coarsening.coarse(record)) == query.evaluate(record));
      }
    }
  }
}

// Two values must be in one cell if and only if every query gives both values the same answer.
TEST_CASE("the cuts of an attribute are the fewest that the queries allow") {
  const Schema schema = schema_of("b r12 r7");
  const std::vector<std::vector<std::string>> lists{{"a1 >= 3"},
                                                    {"a1 >= 0 and a1 < 4"},
                                                    {"a1 >= 0 or not a1 < 4"},
                                                    {"a1 = 0 or a1 = 5 or a1 = 1"},
                                                    {"a1 in 2..5", "a1 >= 4", "a1 < 2 or a1 > 5"}};
  for (const auto& texts : lists) {
    const std::vector<Query> queries = parsed(schema, texts);
    std::map<std::vector<bool>, std::uint32_t> cells;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t value = 0; value < 12; ++value) {
      std::vector<bool> said;
      for (const Query& query : queries) said.push_back(query.evaluate(std::vector<std::uint32_t>{0, value, 0}));
      expected.push_back(cells.emplace(said, static_cast<std::uint32_t>(cells.size())).first->second);
    }
    const std::vector<Cuts> cuts = cuts_of(schema, texts);
    if (cells.size() == 1) {
      CHECK(cuts.empty());
      continue;
    }
    REQUIRE(cuts.size() == 1);
    const Coarsening coarsening = Coarsening::create(schema, cuts).value();
    for (std::uint32_t value = 0; value < 12; ++value) {
      CHECK(coarsening.coarse(Record::create(schema, {0, value, 0}).value())[1] == expected[value]);
    }
  }
}

TEST_CASE("attributes in sums, categorical attributes, and attributes whose values all differ are not cut") {
  const Schema schema = schema_of("r5 r7 c9 b r3");
  CHECK(cuts_of(schema, {"a0 + a1 >= 3", "a0 >= 1"}).empty());
  CHECK(cuts_of(schema, {"a2 = v1", "a3"}).empty());
  CHECK(cuts_of(schema, {"a4 >= -1", "a4 >= 0"}).empty());
  const std::vector<Cuts> cuts = cuts_of(schema, {"a0 + a3 >= 3", "a1 >= 0"});
  REQUIRE(cuts.size() == 1);
  CHECK(cuts[0].attribute == 1);
}

TEST_CASE("a query that tells values of one cell apart is refused, and the error names the cells") {
  const Task task = Task::create(tests::cut_spec()).value();
  const auto refusal = [&](const std::string& text) {
    Work work;
    const auto compiled = compile(task, Query::parse(task.schema(), text).value(), work);
    REQUIRE_FALSE(compiled);
    CHECK(compiled.error().code == ErrorCode::kQueryNotCovered);
    return compiled.error().message;
  };
  const std::string cells = "tells apart the values -2..0 or 4..6, 1..3, and 7..9 of a1";
  CHECK(refusal("a1 >= 2").find("divides 1..3 of a1; this task " + cells) != std::string::npos);
  // The message names two parts of one cell.
  CHECK(refusal("a1 >= 4").find("divides -2..0 or 4..6 of a1; this task " + cells) != std::string::npos);
  CHECK(refusal("a0 and not a2 >= 2").find("divides 0..4 of a2") != std::string::npos);
  CHECK(refusal("a1 + a2 >= 2").find("a sum needs every value of a1; this task " + cells) != std::string::npos);
}

TEST_CASE("a query compiled for cells is right for every record") {
  const Task task = Task::create(tests::cut_spec()).value();
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  for (const std::string text :
       {"a1 >= 7", "a1 in 1..3 and a0", "a2 = -1 or a1 in 1..3", "a0", "a1 < 1 or a1 in 4..6"}) {
    CAPTURE(text);
    const Query query = Query::parse(task.schema(), text).value();
    Work work;
    const LinearQuery linear = compile(task, query, work).value().linear;
    REQUIRE_FALSE(linear.terms.empty());
    for (const Record& record : all_records(task.schema())) {
      const Record coarse = task.coarsening()->coarse(record);
      double mean = linear.offset;
      for (const ProductTerm& term : linear.terms) {
        double product = term.factor;
        for (const ProductTerm::Part& part : term.parts) {
          const std::vector<double> seen = QuestionLaw(channel.questions(part.attribute)).apply(part.weights);
          product *= part.mean + seen[coarse[part.attribute]];
        }
        mean += product;
      }
      CHECK(mean == doctest::Approx(query.evaluate(record) ? 1 : 0).epsilon(1e-9));
    }
  }
}

TEST_CASE("parities about cells are compiled right for every record") {
  TaskSpec spec = tests::cut_spec();
  spec.channel = SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 3}}};
  const Task task = Task::create(spec).value();
  for (const std::string text : {"a1 >= 7", "a1 in 1..3 and a0", "a2 = -1 or a1 in 1..3"}) {
    CAPTURE(text);
    const Query query = Query::parse(task.schema(), text).value();
    Work work;
    const LinearQuery linear = compile(task, query, work).value().linear;
    REQUIRE_FALSE(linear.weights.empty());
    for (const Record& record : all_records(task.schema())) {
      std::vector<std::int8_t> coordinates(task.arrangement().dimension());
      task.arrangement().encode(task.coarsening()->coarse(record), coordinates);
      double value = linear.offset;
      for (const auto& weight : linear.weights) value += weight.value * coordinates[weight.coordinate];
      CHECK(value == doctest::Approx(query.evaluate(record) ? 1 : 0).epsilon(1e-9));
    }
  }
}

}  // namespace
}  // namespace hearsay::compiler
