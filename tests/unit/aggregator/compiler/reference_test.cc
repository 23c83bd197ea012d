#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/compiler/class_moments.h"
#include "aggregator/compiler/compile_literals.h"
#include "tests/support/bit_sources.h"
#include "tests/support/small_domains.h"
#include "tests/unit/aggregator/compiler/brute_force.h"

namespace hearsay::compiler {
namespace {

using tests::all_records;

struct Setting {
  explicit Setting(const std::string& shape)
      : schema(tests::schema_of(shape)),
        literals(Literals::create(schema).value()),
        variance(literals.dimension(), 9) {}

  Result<LinearQuery> compile(const std::string& text, Reference reference = {}) const {
    return tests::linear_of(compile_literals(tests::parse(schema, text), schema, literals,
                                             {.noise_variance = variance, .reference = reference}, tests::work()));
  }
  ClassMoments moments(const std::string& text, Reference reference) const {
    Study found = study(tests::parse(schema, text), schema, {}, reference, tests::work()).value();
    return class_moments(found, schema, literals, tests::work()).value();
  }
  std::vector<Record> universe(int copies) const {
    std::vector<Record> records;
    for (const Record& record : all_records(schema)) {
      for (int i = 0; i < copies; ++i) records.push_back(record);
    }
    return records;
  }

  Schema schema;
  Literals literals;
  std::vector<double> variance;
};

// All copies of a record stand side by side in the sample. Coins divide each couple of neighbours between the two
// halves, so both halves have every record equally often.
TEST_CASE("a sample equal to the uniform distribution gives the results of the uniform distribution") {
  const Setting setting("b c3 r4 b");
  const std::vector<Record> sample = setting.universe(8);
  for (const std::string text :
       {"a0 and a3", "a1 in {v0, v2} and a2 >= 0", "at_least(2, a0, a3, a2 = 1)", "a0 or (a3 and not a1 = v1)"}) {
    const Query query = tests::parse(setting.schema, text);
    const tests::Universe universe(query, setting.schema, setting.literals);
    const auto uniform = setting.compile(text);
    const auto sampled = setting.compile(text, sample);
    REQUIRE(uniform);
    REQUIRE(sampled);
    CAPTURE(text);
    CHECK(sampled->guarantee == Guarantee::kAverageCase);
    CHECK(sampled->offset == doctest::Approx(uniform->offset).scale(0).epsilon(1e-9));
    CHECK(sampled->margin == doctest::Approx(uniform->margin).scale(0).epsilon(1e-9));
    REQUIRE(sampled->weights.size() == uniform->weights.size());
    for (std::size_t i = 0; i < uniform->weights.size(); ++i) {
      CHECK(sampled->weights[i].coordinate == uniform->weights[i].coordinate);
      CHECK(sampled->weights[i].value == doctest::Approx(uniform->weights[i].value).scale(0).epsilon(1e-9));
    }
    for (std::size_t b = 0; b < 2; ++b) {
      const auto half = static_cast<double>(4 * universe.members(b == 1));
      CHECK(std::abs(sampled->class_variance[b] - uniform->class_variance[b] * half / (half - 1)) < 1e-9);
      CHECK(sampled->class_members[b] == half);
      CHECK(sampled->class_mean_variance[b] > sampled->class_variance[b] / half - 1e-12);
    }
  }
}

// On an attribute with equal values for all members, the score may still vary by 2·|g|, with the weight g.
TEST_CASE("if sampled members of a class are alike, the variance of their mean has a lower bound") {
  const Setting setting("b b b");
  const auto people = [&](std::uint32_t a0, std::uint32_t a1, int count) {
    std::vector<Record> records;
    for (int i = 0; i < count; ++i) {
      const std::uint32_t a2 = i % (a0 == 1 ? 2 : 4) == 0 ? 1 : 0;
      records.push_back(Record::create(setting.schema, {a0, a1, a2}).value());
    }
    return records;
  };
  std::vector<Record> sample = people(1, 1, 400);
  const std::vector<Record> others = people(0, 0, 400);
  sample.insert(sample.end(), others.begin(), others.end());
  const auto linear = setting.compile("a0 and a1", sample);
  REQUIRE(linear);
  double range = 0;
  double third = 0;  // by how much the score varies with a2
  for (const auto& weight : linear->weights) {
    (weight.coordinate == 2 ? third : range) += 2 * std::abs(weight.value);
  }
  REQUIRE(range > 0.9);
  REQUIRE(third > 0.01);
  for (std::size_t b = 0; b < 2; ++b) {
    CHECK(linear->class_members[b] == 200);
    CHECK(linear->class_variance[b] < third * third / 3.9);
    const double floor = 3 * range * range / (200.0 * 200);
    CHECK(std::abs(linear->class_mean_variance[b] - linear->class_variance[b] / 200 - floor) < 1e-12);
  }
}

TEST_CASE("with a sample queries on one attribute stay exact, and an empty sample means the uniform distribution") {
  const Setting setting("b c3 r4 b");
  std::vector<Record> skewed;
  for (int i = 0; i < 500; ++i) skewed.push_back(Record::create(setting.schema, {1, 2, 3, 0}).value());
  for (const std::string text : {"a0", "a1 in {v0, v1}", "a2 in 0..1", "a0 or not a0"}) {
    const auto with = setting.compile(text, skewed);
    const auto without = setting.compile(text);
    REQUIRE(with);
    CHECK(with->guarantee == Guarantee::kWorstCase);
    CHECK(with->offset == without->offset);
    CHECK(with->class_members == std::array<std::uint32_t, 2>{0, 0});
    CHECK(with->class_mean_variance == std::array<double, 2>{0, 0});
  }
  CHECK(setting.compile("a0 and a3", std::vector<Record>{})->class_mean_variance == std::array<double, 2>{0, 0});
}

TEST_CASE("the split of a sample is reproducible, and does not depend on whether a position is even") {
  const Setting setting("b b b");
  // Each couple of neighbours has a2 = 0 and then a2 = 1.
  std::vector<Record> couples;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    const std::uint32_t pair = i / 2;
    couples.push_back(
        Record::create(setting.schema, {pair % 3 == 0 ? 1U : 0U, pair % 3 == 0 ? 1U : 0U, i % 2}).value());
  }
  const auto once = setting.compile("a0 and a1", couples);
  const auto again = setting.compile("a0 and a1", couples);
  REQUIRE(once);
  REQUIRE(again);
  CHECK(once->offset == again->offset);
  // If even and odd positions were the halves, a2 would be constant in each half. With coins, a2 is a fair coin in each
  // half of each class. Then its difference of class means in the first halves (667 and 1333 records) is within 6
  // standard errors, 6·√(1/667 + 1/1333) < 0.29. For a0 and a1 the difference is 2.
  for (const auto& weight : once->weights) {
    if (weight.coordinate == 2) CHECK(std::abs(weight.value) < 0.29 / 2 * once->weights[0].value);
  }
  const ClassMoments moments = setting.moments("a0 and a1", couples);
  CHECK(moments.covariance_of(true, 2, 2) == doctest::Approx(1).scale(0).epsilon(0.01));
}

TEST_CASE("a query is refused if the sample has too few records of one of its classes") {
  const Setting setting("b b");
  const auto people = [&](int both, int others) {
    std::vector<Record> records(static_cast<std::size_t>(both), Record::create(setting.schema, {1, 1}).value());
    records.insert(records.end(), static_cast<std::size_t>(others), Record::create(setting.schema, {0, 1}).value());
    return records;
  };
  CHECK(setting.compile("a0 and a1", people(64, 64)));
  for (const auto& [both, others] :
       std::vector<std::pair<int, int>>{{63, 500}, {500, 63}, {0, 500}, {500, 0}, {1, 0}}) {
    const auto refused = setting.compile("a0 and a1", people(both, others));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kClassTooRare);
  }
  for (const std::string shape : {"b b b", "b", "b c3"}) {
    const Schema other = tests::schema_of(shape);
    std::vector<Record> records = people(100, 100);
    records.push_back(all_records(other).back());
    const auto refused = setting.compile("a0 and a1", records);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kInvalidArgument);
    CHECK(refused.error().message.find("record 201 ") != std::string::npos);
  }
  const std::vector<double> variance(3, 9);
  const auto paper = compile_literals(
      tests::parse(setting.schema, "a0 and a1"), setting.schema, setting.literals,
      {.noise_variance = variance, .direction = Direction::kPaper, .reference = people(64, 64)}, tests::work());
  REQUIRE_FALSE(paper);
  CHECK(paper.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("the moments of a sample are averages over the sample, on all coordinates") {
  const Setting setting("b c3 r4 b");
  tests::CounterBitSource bits("moments of a sample");
  const std::vector<Record> universe = all_records(setting.schema);
  std::vector<Record> sample;
  for (int i = 0; i < 700; ++i) sample.push_back(universe[bits.bits(8) * bits.bits(8) % universe.size()]);
  const Query query = tests::parse(setting.schema, "a0 and a2 >= 0");
  const ClassMoments moments = setting.moments("a0 and a2 >= 0", sample);
  const std::size_t d = setting.literals.dimension();
  REQUIRE(moments.coordinates.size() == d);
  CHECK(moments.of_query == std::vector<std::uint32_t>{0, 4, 5, 6});
  std::vector<std::int8_t> a(d);
  for (const bool b : {false, true}) {
    double members = 0;
    std::vector<double> sum(d, 0);
    std::vector<double> products(d * d, 0);
    for (const Record& record : sample) {
      if (query.evaluate(record) != b) continue;
      setting.literals.encode(record, a);
      members += 1;
      for (std::size_t i = 0; i < d; ++i) {
        sum[i] += a[i];
        for (std::size_t j = 0; j < d; ++j) products[i * d + j] += a[i] * a[j];
      }
    }
    CHECK(moments.members[b ? 1 : 0] == members);
    for (std::size_t i = 0; i < d; ++i) {
      CHECK(std::abs(moments.mean[b ? 1 : 0][i] - sum[i] / members) < 1e-12);
      for (std::size_t j = 0; j < d; ++j) {
        const double covariance = products[i * d + j] / members - sum[i] / members * sum[j] / members;
        CHECK(std::abs(moments.covariance_of(b, i, j) - covariance) < 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace hearsay::compiler
