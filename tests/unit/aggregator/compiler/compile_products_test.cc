#include "aggregator/compiler/compile_products.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "aggregator/compiler/question_law.h"
#include "tests/support/sampled_tasks.h"
#include "tests/support/small_domains.h"
#include "tests/unit/aggregator/compiler/brute_force.h"
#include "tests/unit/aggregator/compiler/random_questions.h"

namespace hearsay::compiler {
namespace {

using tests::sampled_of;

CircleQuestions circle_of(std::uint32_t places) {
  CircleQuestions circle{.places = places, .multipliers = {}, .weights = {}};
  for (std::uint32_t j = 1; j <= places / 2; ++j) {
    circle.multipliers.push_back(j);
    circle.weights.push_back(1 + places / j);
  }
  return circle;
}

Task task_of(Schema schema, std::uint32_t order, SampledSpec channel) {
  return Task::create({.title = "products",
                       .schema = std::move(schema),
                       .arrangement = CharactersSpec{order},
                       .channel = std::move(channel),
                       .epsilon = Epsilon::parse("1").value(),
                       .task_duration = 3600,
                       .time_precision = 3600})
      .value();
}

Result<LinearQuery> compiled(const Task& task, const std::string& text) {
  return tests::linear_of(compile(task, Query::parse(task.schema(), text).value(), tests::work()));
}

// Checks that offset plus the terms is the query's value for every record. A factor of a term is mean + M·weights,
// where M is the law of the attribute's questions.
void check_equals(const Task& task, const Query& query, const LinearQuery& linear) {
  CHECK(linear.weights.empty());
  CHECK(linear.guarantee == Guarantee::kWorstCase);
  std::vector<std::vector<std::vector<double>>> functions;
  for (const ProductTerm& term : linear.terms) {
    REQUIRE(!term.parts.empty());
    functions.emplace_back();
    for (std::size_t i = 0; i < term.parts.size(); ++i) {
      const ProductTerm::Part& part = term.parts[i];
      if (i > 0) REQUIRE(term.parts[i - 1].attribute < part.attribute);
      const QuestionLaw law(sampled_of(task).questions(part.attribute));
      std::vector<double>& g = functions.back().emplace_back(law.apply(part.weights));
      double energy = 0;
      for (std::size_t x = 0; x < g.size(); ++x) energy += g[x] * part.weights[x];
      CHECK(part.energy == doctest::Approx(energy).epsilon(1e-9));
      for (double& value : g) value += part.mean;
    }
  }
  for (const Record& record : tests::all_records(task.schema())) {
    double value = linear.offset;
    for (std::size_t t = 0; t < linear.terms.size(); ++t) {
      double product = linear.terms[t].factor;
      for (std::size_t i = 0; i < functions[t].size(); ++i) {
        product *= functions[t][i][record.values()[linear.terms[t].parts[i].attribute]];
      }
      value += product;
    }
    REQUIRE(std::abs(value - (query.evaluate(record) ? 1 : 0)) < 1e-8);
  }
}

TEST_CASE("random queries are the sum of their terms on every record") {
  tests::CounterBitSource bits("products");
  tests::Generator generator(bits);
  tests::RandomQuestions draws("questions of products");
  int answered = 0;
  for (int round = 0; round < 40; ++round) {
    const Schema schema = generator.schema();
    const auto order = static_cast<std::uint32_t>(schema.size());
    SampledSpec channel;
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < order; ++i) {
      // The first attribute has a circle, so that not all questions are parities of one bit.
      const QuestionSpec spec = i == 0 ? circle_of(schema[0].size()) : draws.questions(schema[i].size()).spec();
      const std::uint32_t width = Questions::create(spec, schema[i].size())->width();
      channel.questions.push_back(spec);
      channel.groups.push_back({width == 1 ? GroupKind::kSingle : GroupKind::kRaw, 1, 1, {i}});
      all.push_back(i);
    }
    if (order > 1) channel.groups.push_back({GroupKind::kRaw, order, 1, all});
    const Task task = task_of(schema, order, channel);
    REQUIRE(!sampled_of(task).asks_parities());
    for (const auto kind : tests::Generator::kKinds) {
      const std::string text = generator.query(schema, kind);
      CAPTURE(text);
      const Result<LinearQuery> linear = compiled(task, text);
      if (!linear) {
        CHECK(linear.error().code == ErrorCode::kQueryNotCovered);
        continue;
      }
      ++answered;
      check_equals(task, Query::parse(schema, text).value(), *linear);
    }
  }
  CHECK(answered > 150);
}

// Reports ask by a circle about age (0 to 9), and by parities about home (three values) and a boolean.
Task small_task(std::vector<GroupWeight> groups, std::uint32_t order = 2) {
  SampledSpec channel{.groups = std::move(groups)};
  channel.questions = {circle_of(10), ParityQuestions{}, ParityQuestions{}};
  return task_of(
      tests::schema_of({Attribute::range("age", 0, 9), Attribute::range("home", 0, 2), Attribute::boolean("car")}),
      order, channel);
}

const std::vector<GroupWeight> kAllSets{{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 1}};

TEST_CASE("a box, a negation or a query on one attribute is one term") {
  const Task task = small_task(kAllSets);
  for (const char* text : {"age in 2..5", "not age in 2..5", "age = 1 or age = 7", "age in 2..5 and home = 1",
                           "not (age in 2..5 and home = 1)", "age in 2..5 or car", "home = 2 and not car"}) {
    CAPTURE(text);
    const Result<LinearQuery> linear = compiled(task, text);
    REQUIRE(linear);
    CHECK(linear->terms.size() == 1);
    check_equals(task, Query::parse(task.schema(), text).value(), *linear);
  }
  const Result<LinearQuery> constant = compiled(task, "age >= 0");
  REQUIRE(constant);
  CHECK(constant->terms.empty());
  CHECK(constant->offset == 1);
  CHECK(constant->margin == 0);
}

TEST_CASE(
    "a query on too many attributes, or on a set without questions, is refused, and the error names the attributes") {
  const Result<LinearQuery> three = compiled(small_task(kAllSets), "age < 5 and home = 1 and car");
  REQUIRE(!three);
  CHECK(three.error().code == ErrorCode::kQueryNotCovered);
  CHECK(three.error().message ==
        "the query depends on 3 attributes; this task (characters of order 2) answers queries on at most 2: ask about "
        "fewer, or plan a task for this query");
  const Task task = small_task({{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 1, {0, 1}}});
  CHECK(compiled(task, "age < 5 and home = 1"));
  const Result<LinearQuery> pair = compiled(task, "age < 5 and car");
  REQUIRE(!pair);
  CHECK(pair.error().code == ErrorCode::kQueryNotCovered);
  CHECK(pair.error().message ==
        "the answer needs reports about age and car together, and this task never asks for them");
  const Result<LinearQuery> single = compiled(small_task({{GroupKind::kSingle, 2, 1}}), "age < 5 and car");
  REQUIRE(!single);
  CHECK(single.error().message == "the answer needs reports about age, and this task never asks for them");
}

TEST_CASE("a set of attributes is not needed if its terms add up to 0") {
  const Task task = small_task({{GroupKind::kSingle, 2, 1}});
  // The condition holds for half of the ages, so the terms on single attributes cancel.
  const std::string exclusive = "(age < 5 and not car) or (age >= 5 and car)";
  const Result<LinearQuery> linear = compiled(task, exclusive);
  REQUIRE_MESSAGE(linear, linear.error().message);
  check_equals(task, Query::parse(task.schema(), exclusive).value(), *linear);
  for (const ProductTerm& term : linear->terms) {
    REQUIRE(term.parts.size() == 2);
    for (const ProductTerm::Part& part : term.parts) CHECK(part.mean == 0);
  }
  CHECK(!compiled(task, "(age < 4 and not car) or (age >= 4 and car)"));
}

TEST_CASE("a query on values that the questions do not tell apart is refused, and the error names the attribute") {
  SampledSpec channel{.groups = kAllSets};
  channel.questions = {LevelQuestions{{{2}}, {1}}, ParityQuestions{}};
  const Task task = task_of(tests::schema_of({Attribute::range("age", 0, 7), Attribute::boolean("car")}), 2, channel);
  CHECK(compiled(task, "age < 4"));
  CHECK(compiled(task, "age < 4 and car"));
  const Result<LinearQuery> finer = compiled(task, "age < 2 and car");
  REQUIRE(!finer);
  CHECK(finer.error().code == ErrorCode::kQueryNotCovered);
  CHECK(finer.error().message ==
        "the query tells values of age apart that the task's questions about age do not tell apart");
}

// One of 2^30 reports asks with the multiplier 1, so a query that needs this multiplier needs about 2^30 times as many
// users.
TEST_CASE("questions that are hardly ever asked give answers with a large variance") {
  SampledSpec channel{.groups = {{GroupKind::kSingle, 1, 1}}};
  channel.questions = {CircleQuestions{64, 1, {1, 2}, {1, Questions::kMaxWeight}}};
  const Task task = task_of(tests::schema_of({Attribute::range("age", 0, 63)}), 1, channel);
  const Result<LinearQuery> rare = compiled(task, "age < 16");
  REQUIRE_MESSAGE(rare, rare.error().message);
  REQUIRE(rare->terms.size() == 1);
  CHECK(rare->terms[0].parts[0].energy > 1e8);
  CHECK(rare->terms[0].parts[0].energy < 1e11);
  channel.questions = {CircleQuestions{64, 1, {2}, {1}}};
  const Task never = task_of(tests::schema_of({Attribute::range("age", 0, 63)}), 1, channel);
  CHECK(compiled(never, "age < 16").error().code == ErrorCode::kQueryNotCovered);
}

TEST_CASE("terms that need more memory than allowed are refused") {
  const Task task = task_of(tests::schema_of({Attribute::range("a", 0, 63), Attribute::range("b", 0, 63)}), 2,
                            {.groups = kAllSets, .questions = {circle_of(64), circle_of(64)}});
  const Query sum = Query::parse(task.schema(), "a + b >= 60").value();
  Work enough;
  const Result<CompiledQuery> linear = compile(task, sum, enough);
  REQUIRE(linear);
  CHECK(linear->linear.terms.size() > 50);
  CHECK(bytes_of(linear->linear) > 50 * 2 * 64 * sizeof(double));
  Work little({}, {Work::kBudget.steps, bytes_of(linear->linear) / 2});
  const Result<CompiledQuery> refused = compile(task, sum, little);
  REQUIRE(!refused);
  CHECK(refused.error().code == ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace hearsay::compiler
