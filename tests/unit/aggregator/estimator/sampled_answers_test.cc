#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "aggregator/estimator/sampled_estimate.h"
#include "aggregator/tally/tally.h"
#include "tests/support/planned_tasks.h"
#include "tests/unit/aggregator/estimator/sampled_law.h"

namespace hearsay::estimator {
namespace {

using namespace tests;  // NOLINT(google-build-using-namespace)

using enum GroupKind;

SampledSpec mixed_groups() { return groups_of({{kSingle, 1, 2}, {kRaw, 2, 3}, {kRaw, 3, 3}, {kEven, 3, 2}}); }

Task singles(const std::string& shape, std::uint32_t order, const std::string& epsilon) {
  std::vector<GroupWeight> groups;
  for (std::uint32_t s = 1; s <= order; ++s) groups.push_back({kSingle, s, 1});
  return task_over(shape, epsilon, CharactersSpec{order}, groups_of(std::move(groups)));
}

tally::Tally reports_of(const Task& task, int n, const std::string& key) {
  CounterBitSource bits(key);
  tally::Tally tally = tally::Tally::empty(task.channel());
  for (int i = 0; i < n; ++i) {
    std::vector<std::uint32_t> values;
    for (const Attribute& attribute : task.schema().attributes()) {
      const auto draw = [&] { return static_cast<std::uint32_t>(bits.bits(32) % attribute.size()); };
      values.push_back(std::min(draw(), draw()));
    }
    const Record record = Record::create(task.schema(), values).value();
    REQUIRE(tally.add(task.channel(), task.channel().randomize(task.arrangement(), record, bits)));
  }
  return tally;
}

TEST_CASE("a tally that is indexed in parts gives the answers of a tally that is indexed in one part") {
  const Task task = task_over("b c3 b r4 b", "2", CharactersSpec{3}, mixed_groups());
  const tally::Tally tally = reports_of(task, 4000, "parts");
  const auto& counts = std::get<tally::SampledTally>(tally.kind());
  const SampledIndex with = SampledIndex::create(task, counts).value();
  const SampledIndex without = SampledIndex::create(task, counts, 0).value();
  REQUIRE(with.has_parts());
  REQUIRE_FALSE(without.has_parts());
  for (const char* text : {"a0", "a1 = v2 and a4", "a0 and a2 and a3 = 2", "not (a1 = v0 or a3 = 1)"}) {
    CAPTURE(text);
    const compiler::LinearQuery query = compile_text(task, text);
    compiler::Work work;
    const Estimate expected = sampled_estimate(with, query, 0.95, work).value();
    const Estimate answer = sampled_estimate(without, query, 0.95, work).value();
    CHECK(answer.value == expected.value);
    CHECK(answer.standard_error == expected.standard_error);
    CHECK(answer.guaranteed.low == expected.guaranteed.low);
  }
}

std::string cell_text(const Task& task, const ContingencyTable& table, std::size_t cell) {
  std::string text;
  for (std::size_t i = table.attributes.size(); i-- > 0;) {
    const Attribute& attribute = task.schema()[table.attributes[i]];
    const std::string value = attribute.value_text(static_cast<std::uint32_t>(cell % table.sizes[i]));
    text = attribute.name() + " = " + value + (text.empty() ? "" : " and " + text);
    cell /= table.sizes[i];
  }
  return text;
}

void check_table(const Task& task, const tally::Tally& tally, const std::vector<std::uint32_t>& attributes) {
  const Estimator estimator = Estimator::create(task, tally).value();
  const ContingencyTable table = estimator.table(attributes, 0.9).value();
  CHECK(table.attributes == attributes);
  CHECK(table.confidence == 0.9);
  CHECK(table.reports == tally.reports());
  CHECK(table.quantile == doctest::Approx(1.6448536269514722));
  std::size_t cells = 1;
  for (const std::uint32_t size : table.sizes) cells *= size;
  REQUIRE(table.values.size() == cells);
  REQUIRE(table.standard_errors.size() == cells);
  double sum = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::string text = cell_text(task, table, cell);
    INFO(text);
    const Estimate answer = estimator.estimate(compile_text(task, text), 0.9).value();
    CHECK(std::abs(table.values[cell] - answer.value) < 1e-9);
    CHECK(std::abs(table.standard_errors[cell] / answer.standard_error - 1) < 1e-9);
    sum += table.values[cell];
  }
  CHECK(sum == doctest::Approx(1));
}

TEST_CASE("the cells of a table agree with the estimates of the cells as queries") {
  const std::string shape = "b c3 r5 c4 c9";
  const Task wide = task_over(shape, "4", CharactersSpec{3},
                              groups_of({{kSingle, 1, 2}, {kRaw, 2, 3}, {kRaw, 3, 3}, {kEven, 3, 2}, {kRaw, 4, 2}}));
  // From few reports, the estimator divides by the number of reports on a set of attributes. From more reports, the
  // estimator divides by the number of reports on each coordinate.
  for (const int n : {2000, 20'000}) {
    CAPTURE(n);
    for (const Task& task : {wide, singles(shape, 3, "4"), task_over(shape, "4", CharactersSpec{2}, LaplaceSpec{})}) {
      const bool laplace_noise = std::holds_alternative<LaplaceSpec>(task.spec().channel);
      if (laplace_noise && n > 2000) continue;
      const tally::Tally tally = reports_of(task, n, "tables");
      check_table(task, tally, {2});
      check_table(task, tally, {0, 1});
      check_table(task, tally, {1, 4});
      if (!laplace_noise) check_table(task, tally, {0, 2, 3});
    }
  }
}

TEST_CASE("a table is refused if the estimates of its cells are refused") {
  const Task task = singles("b b c3", 2, "1");
  const Estimator estimator = Estimator::create(task, sampled_tally_of({{0, 0, 50}})).value();
  const std::vector<std::uint32_t> pair{0, 1};
  CHECK(estimator.table(pair, 0.95).error().code == ErrorCode::kNoReports);
  const std::vector<std::uint32_t> one{0};
  CHECK(estimator.table(one, 0.95));
  CHECK(estimator.table(one, 1.0).error().code == ErrorCode::kInvalidArgument);
  for (const std::vector<std::uint32_t>& bad : {std::vector<std::uint32_t>{}, {1, 0}, {0, 0}, {3}}) {
    CHECK(estimator.table(bad, 0.95).error().code == ErrorCode::kInvalidArgument);
    CHECK(estimator.means(bad).error().code == ErrorCode::kInvalidArgument);
  }
  const std::vector<std::uint32_t> three{0, 1, 2};
  CHECK(estimator.means(three).error().code == ErrorCode::kInvalidArgument);
  const Error too_many = estimator.table(three, 0.95).error();
  CHECK(too_many.code == ErrorCode::kQueryNotCovered);
  CHECK(too_many.message ==
        "the table has 3 attributes, and this task (order 2) answers tables of at most 2: ask for smaller tables, or "
        "create a task of order 3");
  const Task literals = task_over("b b c3", "1", LiteralsSpec{}, partition(2));
  const Estimator other = Estimator::create(literals, sampled_tally_of({{0, 0, 50}})).value();
  CHECK(other.table(one, 0.95).error().code == ErrorCode::kUnsupported);
}

TEST_CASE("a query about which no report asks has no estimate, and the error names the attributes") {
  const Task task = singles("b b b", 2, "1");
  // Each of groups 0 to 2 asks about one attribute. Groups 3 to 5 ask about the pairs (0,1), (0,2) and (1,2).
  const Estimator estimator = Estimator::create(task, sampled_tally_of({{0, 1, 9}, {1, 0, 9}, {3, 1, 9}})).value();
  const auto answer = [&](const char* text) { return estimator.estimate(compile_text(task, text), 0.95); };
  CHECK(answer("a0"));
  CHECK(answer("a0 and a1"));
  REQUIRE_FALSE(answer("a2"));
  CHECK(answer("a2").error().code == ErrorCode::kNoReports);
  CHECK(answer("a2").error().message == "no report has asked about a2 yet");
  const Estimator pairs = Estimator::create(task, sampled_tally_of({{0, 1, 9}, {2, 0, 9}})).value();
  CHECK(pairs.estimate(compile_text(task, "a0 and a2"), 0.95).error().message ==
        "no report has asked about a0 and a2 yet");
  CHECK(pairs.estimate(compile_text(task, "a0 or not a0"), 0.95).value().value == 1);
  const Task literals = task_over("b b c3", "1", LiteralsSpec{}, partition(2));
  const Estimator half = Estimator::create(literals, sampled_tally_of({{0, 1, 9}})).value();
  CHECK(half.estimate(compile_text(literals, "a1"), 0.95));
  CHECK(half.estimate(compile_text(literals, "a2 = v0"), 0.95).error().message == "no report has asked about a2 yet");
}

TEST_CASE("a set of coordinates still has an estimate if some of its coordinates were not drawn") {
  const Task task = singles("c9", 1, "4");  // there are 15 coordinates
  const Estimate answer =
      estimate(task, compile_text(task, "a0 = v4"), sampled_tally_of({{3, 1, 2}, {7, 0, 1}}), 0.95).value();
  CHECK(std::isfinite(answer.value));
  CHECK(answer.standard_error > 0);
}

TEST_CASE("the influence is the largest change of the value by one changed report") {
  const Task wide = task_over("b b b", "2", CharactersSpec{2}, mixed_groups());
  for (const Task& task : {wide, singles("b b b", 2, "2"), task_over("b b r3", "2", LiteralsSpec{}, partition(2))}) {
    const tally::Tally tally = reports_of(task, 3000, "influence");
    const auto entries = std::get<tally::SampledTally>(tally.kind()).entries();
    for (const char* text : {"a0", "not a1"}) {
      const compiler::LinearQuery query = compile_text(task, text);
      const Estimate before = estimate(task, query, tally, 0.95).value();
      double most = 0;
      for (std::size_t e = 0; e < entries.size(); ++e) {
        const std::uint32_t answers = 1U << sampled_of(task).class_of(entries[e].group).width;
        for (std::uint32_t k = 0; k < answers; ++k) {
          auto changed = entries;
          --changed[e].count;
          changed.push_back({entries[e].group, k, 1});
          most = std::max(
              most, std::abs(estimate(task, query, sampled_tally_of(changed), 0.95).value().value - before.value));
        }
      }
      CHECK(most == doctest::Approx(before.influence).scale(0).epsilon(1e-9));
    }
  }
  // Here the weights of a group's coordinates have different signs, so the extreme contributions are not opposite.
  const Task task = task_over("b b b", "2", CharactersSpec{2}, groups_of({{kRaw, 3, 1}}));
  const compiler::LinearQuery query = compile_text(task, "a0 and not a1");
  const double gamma = sampled_of(task).gamma(sampled_of(task).classes()[0]);
  const Estimate answer = estimate(task, query, sampled_tally_of({{0, 5, 600}, {0, 1, 400}}), 0.95).value();
  // The contribution of a report is (±1 ± 1 ± 1)/(4γN), where the product of the signs is fixed. So 4γN times the
  // contribution is from -1 to 3.
  CHECK(answer.influence == doctest::Approx(4 / (4 * gamma * 1000)).scale(0).epsilon(1e-12));
}

TEST_CASE("the reported means are the means from which estimates are computed") {
  const Task wide = task_over("b c3 b", "3", CharactersSpec{2}, mixed_groups());
  const Task literals = task_over("b b r3", "2", LiteralsSpec{}, partition(2));
  for (const Task& task :
       {wide, singles("b c3 b", 2, "3"), task_over("b c3 b", "3", CharactersSpec{2}, LaplaceSpec{}), literals}) {
    const tally::Tally tally = reports_of(task, 4000, "means");
    const Estimator estimator = Estimator::create(task, tally).value();
    CHECK(estimator.reports() == 4000);
    for (const std::vector<std::uint32_t>& attributes : {std::vector<std::uint32_t>{0}, {1}, {0, 2}}) {
      if (std::holds_alternative<LiteralsSpec>(task.spec().arrangement) && attributes.size() > 1) continue;
      const CoordinateMeans means = estimator.means(attributes).value();
      REQUIRE_FALSE(means.means.empty());
      REQUIRE(means.variances.size() == means.means.size());
      for (std::size_t i = 0; i < means.means.size(); ++i) {
        // The query is (1 - a_j)/2, so its standard error is half of the mean's.
        compiler::LinearQuery query;
        query.offset = 0.5;
        query.weights = {{means.first + static_cast<std::uint32_t>(i), -0.5}};
        const Estimate answer = estimator.estimate(query, 0.95).value();
        CHECK(answer.value == doctest::Approx(0.5 - means.means[i] / 2).epsilon(1e-12));
        CHECK(answer.standard_error == doctest::Approx(std::sqrt(means.variances[i]) / 2).scale(0).epsilon(0.01));
      }
    }
  }
}

TEST_CASE(
    "for `laplace` on characters the value is the weighted sum of the means, and the variance is that of the noise") {
  const Task task = task_over("b b", "2", CharactersSpec{2}, LaplaceSpec{});
  const auto& channel = std::get<LaplaceChannel>(task.channel().kind());
  tally::LaplaceTally sums(3);
  sums.reports = 1000;
  sums.sum = {300, -200, 100};
  const Estimate answer = estimate(task, compile_text(task, "a0 and a1"), tally::Tally(sums), 0.95).value();
  CHECK(answer.value == doctest::Approx((1 - 0.3 + 0.2 + 0.1) / 4).epsilon(1e-12));
  CHECK(answer.standard_error == doctest::Approx(std::sqrt(3 * channel.noise_variance(0) / 16 / 1000)).epsilon(1e-12));
  CHECK(answer.guarantee == compiler::Guarantee::kWorstCase);
  CHECK(answer.influence ==
        doctest::Approx(3 * 0.25 * 2 * static_cast<double>(channel.bound(0)) / 1000).epsilon(1e-12));
}

TEST_CASE("no number of an estimate is NaN or infinite, for any drawn groups") {
  for (const char* epsilon : {"0.001", "1", "64"}) {
    for (const Task& task :
         {task_over("b c3 b", epsilon, CharactersSpec{2}, mixed_groups()), singles("b c3 b", 2, epsilon),
          task_over("b c3 b", epsilon, LiteralsSpec{}, partition(3))}) {
      for (const int n : {1, 2, 3, 17, 400}) {
        const Estimator estimator = Estimator::create(task, reports_of(task, n, "finite")).value();
        for (const char* text : {"a0", "a0 and a1 = v1", "a2 or a0", "a0 or not a0"}) {
          for (const double confidence : {1e-300, 0.5, 1 - 1e-16}) {
            const auto answer = estimator.estimate(compile_text(task, text), confidence);
            if (!answer) {
              CHECK(answer.error().code == ErrorCode::kNoReports);
              continue;
            }
            for (const double number : {answer->value, answer->standard_error, answer->normal.low, answer->normal.high,
                                        answer->guaranteed.low, answer->guaranteed.high, answer->influence}) {
              CHECK(std::isfinite(number));
            }
            CHECK(answer->standard_error >= 0);
            CHECK(answer->guaranteed.low <= answer->guaranteed.high);
          }
        }
      }
    }
  }
}

// Equal answers do not show that all people are alike. If asked about the product, a person without a0 and a1 answers
// like a person with both.
TEST_CASE("if all answers are alike, a warning says that one person could change the value") {
  const auto answer = [](std::uint64_t reports, const char* epsilon) {
    const Task task = singles("b b", 2, epsilon);
    return estimate(task, compile_text(task, "a0 and a1"),
                    sampled_tally_of({{0, 1, reports / 4}, {1, 1, reports / 4 + 1}, {2, 0, reports / 2 + 3}}), 0.95)
        .value();
  };
  for (const char* epsilon : {"8", "12", "16"}) {
    for (const std::uint64_t reports : {50, 120, 1000}) {
      CAPTURE(epsilon);
      CAPTURE(reports);
      const Estimate alike = answer(reports, epsilon);
      REQUIRE(alike.value == doctest::Approx(1).epsilon(0.01));
      CHECK(std::ranges::any_of(alike.warnings, [](const auto& w) { return w.find("few reports") != w.npos; }));
    }
  }
}

TEST_CASE("few reports cause a warning, and so does an estimate with an interval as wide as all fractions") {
  const Task task = singles("b", 1, "1");
  const auto warns = [&](std::uint64_t count, const char* text) {
    const Estimate answer =
        estimate(task, compile_text(task, "a0"), sampled_tally_of({{0, 0, count}, {0, 1, count}}), 0.95).value();
    return std::ranges::any_of(answer.warnings,
                               [&](const std::string& w) { return w.find(text) != std::string::npos; });
  };
  CHECK_FALSE(warns(10, "few reports"));  // 20 answers are close to normal: see tests/statistical/few_reports_test.cc
  CHECK(warns(10, "says nothing"));
  CHECK(warns(3, "few reports"));
  CHECK_FALSE(warns(2000, "few reports"));
  CHECK_FALSE(warns(2000, "says nothing"));
}

TEST_CASE("if all asked people give the same answer without noise, a warning says that the answers show no variance") {
  // At ε = 64 fewer than one answer in 10^19 is wrong. Only half of the people were asked.
  const Task task = singles("b b", 1, "64");
  const Estimator estimator = Estimator::create(task, sampled_tally_of({{0, 0, 500}, {1, 0, 500}})).value();
  const auto warnings = [&](const char* text) {
    return estimator.estimate(compile_text(task, text), 0.95).value().warnings;
  };
  REQUIRE(warnings("a0").size() == 1);
  CHECK(warnings("a0")[0].find("rely on the guaranteed interval") != std::string::npos);
  CHECK(warnings("a0 or not a0").empty());
}

TEST_CASE("tallies of other tasks are refused") {
  const Task task = singles("b b", 2, "1");
  const auto code = [&](const tally::Tally& tally) { return Estimator::create(task, tally).error().code; };
  CHECK(code(tally::Tally(tally::LaplaceTally(3))) == ErrorCode::kInvalidArgument);
  CHECK(code(sampled_tally_of({{3, 0, 1}})) == ErrorCode::kInvalidArgument);  // the task has the groups 0 to 2
  CHECK(code(sampled_tally_of({{0, 2, 1}})) == ErrorCode::kInvalidArgument);  // group 0 has the answers 0 and 1
  CHECK(code(sampled_tally_of({})) == ErrorCode::kNoReports);
  TaskSpec spec = task.spec();
  spec.min_batch_size = 10;
  const Task batch = Task::create(std::move(spec)).value();
  CHECK(Estimator::create(batch, sampled_tally_of({{0, 0, 9}})).error().code == ErrorCode::kBatchTooSmall);
  const Estimator estimator = Estimator::create(batch, sampled_tally_of({{0, 0, 10}})).value();
  const compiler::LinearQuery query = compile_text(task, "a0");
  CHECK(estimator.estimate(query, 0.95));
  for (const double bad : {0.0, 1.0, -1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(estimator.estimate(query, bad).error().code == ErrorCode::kInvalidArgument);
  }
  compiler::LinearQuery foreign = query;
  foreign.weights.push_back({3, 0.5});
  CHECK(estimator.estimate(foreign, 0.95).error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hearsay::estimator
