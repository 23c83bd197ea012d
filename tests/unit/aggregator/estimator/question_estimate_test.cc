// Compares estimates with sums over all records, questions and answers, for questions that are not parities of one bit.
#include "aggregator/estimator/question_estimate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "aggregator/compiler/compile.h"
#include "aggregator/estimator/estimate.h"
#include "aggregator/tails/chernoff.h"
#include "hearsay/query.h"
#include "tests/support/question_cases.h"
#include "tests/support/tally_simulator.h"
#include "tests/unit/aggregator/estimator/question_sums.h"

namespace hearsay::estimator {
namespace {

using namespace tests;  // NOLINT(google-build-using-namespace)

using enum GroupKind;
using Asked = QuestionSums::Asked;

constexpr double kMany = 4e9;  // below 2^32, the largest number of reports in a tally

// Returns a box, and two functions that are no indicators. The last function does not depend on the first attribute.
std::vector<Functions> functions_of(const Schema& schema) {
  Functions uneven;
  for (std::uint32_t i = 0; i < schema.size(); ++i) {
    std::vector<double>& function = uneven.emplace_back();
    for (std::uint32_t v = 0; v < schema[i].size(); ++v) function.push_back(0.3 * ((v * 5 + i) % 4) - 0.2);
  }
  Functions some = uneven;
  some.front().clear();
  return {box(schema), uneven, some};
}

// Returns a tally of people who have all records equally often. The bits are deterministic.
tally::Tally drawn_tally(const Task& task, std::uint64_t reports) {
  const std::vector<Record> all = all_records(task.schema());
  const std::vector<std::uint64_t> people(all.size(), reports / all.size() + 1);
  FastRandom random(task.spec().title);
  return TallySimulator(task, all).draw(people, random);
}

TEST_CASE("for people with one record, the estimate is the query's value for this record") {
  for (const QuestionCase& c : question_cases()) {
    INFO(c.parts.name);
    const Task task = c.task();
    for (const Functions& functions : functions_of(task.schema())) {
      const compiler::LinearQuery query = product_query(task, functions);
      const QuestionSums sums(task, query, expected_counts(task, kMany));
      for (const Record& record : all_records(task.schema())) {
        const Estimate answer = estimate(task, query, sums.expected_tally({record}), 0.95).value();
        CHECK(answer.value == doctest::Approx(product_at(functions, record)).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("the estimate of several terms is their sum, also on different attributes") {
  for (const QuestionCase& c : question_cases()) {
    INFO(c.parts.name);
    const Task task = c.task();
    const std::vector<Functions> functions = functions_of(task.schema());
    compiler::LinearQuery query;
    query.offset = 0.25;
    for (std::size_t i = 0; i < functions.size(); ++i) {
      query.terms.push_back(product_term(task, functions[i], 1.0 - 0.7 * static_cast<double>(i)));
    }
    const QuestionSums sums(task, query, expected_counts(task, kMany));
    const Record record = all_records(task.schema()).back();
    double expected = 0.25;
    for (std::size_t i = 0; i < functions.size(); ++i) {
      expected += (1.0 - 0.7 * static_cast<double>(i)) * product_at(functions[i], record);
    }
    CHECK(estimate(task, query, sums.expected_tally({record}), 0.95).value().value ==
          doctest::Approx(expected).epsilon(1e-5));
  }
}

TEST_CASE("compiled queries of every form are estimated") {
  const std::vector<std::vector<std::string>> texts{
      {"a0", "a0 or a1 >= 1", "(a0 and a1 <= -1) or (not a0 and a1 in 0..1)", "a1 in -1..1"},
      {"(a0 = 0 and a1 = -1) or (a0 = 1 and a1 = 0)", "a0 >= 0 and not a1 = -1", "a0 in -1..0 or a1 = 0"},
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Task task = question_cases()[i].task();
    for (const std::string& text : texts[i]) {
      INFO(text);
      const Query query = Query::parse(task.schema(), text).value();
      compiler::Work work;
      const compiler::LinearQuery linear = compiler::compile(task, query, work).value().linear;
      const QuestionSums sums(task, linear, expected_counts(task, kMany));
      for (const Record& record : all_records(task.schema())) {
        const Estimate answer = estimate(task, linear, sums.expected_tally({record}), 0.95).value();
        CHECK(answer.value == doctest::Approx(query.evaluate(record) ? 1 : 0).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("an exclusive or needs only reports about both attributes together") {
  const ParityQuestions bit;
  const QuestionCase c = question_case("1", "b b r3", {{kSingle, 2, 1, {0, 1}}, {kSingle, 1, 1, {2}}},
                                       {bit, bit, {CircleQuestions{3, 1, {1}, {1}}}});
  const Task task = c.task();
  compiler::LinearQuery query;
  query.terms.push_back(product_term(task, {{1, 0}, {0, 1}, {}}));
  const tally::Tally tally = drawn_tally(task, 1000);
  CHECK(estimate(task, query, tally, 0.95).error().code == ErrorCode::kQueryNotCovered);
  query.terms.push_back(product_term(task, {{0, 1}, {1, 0}, {}}));
  const auto answer = estimate(task, query, tally, 0.95);
  REQUIRE(answer);
  // As a single term the query has the same estimate.
  compiler::LinearQuery signs;
  signs.offset = 0.5;
  signs.terms.push_back(product_term(task, {{1, -1}, {1, -1}, {}}, -0.5));
  const Estimate same = estimate(task, signs, tally, 0.95).value();
  CHECK(answer->value == doctest::Approx(same.value).epsilon(1e-9));
  CHECK(answer->standard_error == doctest::Approx(same.standard_error).epsilon(1e-9));
}

// Returns the variance from noise and sampling, by sums over records, questions and answers. The number of reports of
// each class and set of attributes is fixed.
double exact_variance(const QuestionSums& sums, const std::vector<Record>& people, double population_variance) {
  const auto size = static_cast<double>(people.size());
  double n = 0;
  double noise = 0;
  double sampling = 0;
  for (const auto& [asked, count] : sums.counts()) {
    double mean = 0;
    double squares = 0;
    for (const Record& record : people) {
      const auto [first, second] = sums.moments(asked, record);
      noise += count * (second - first * first) / size;
      mean += first / size;
      squares += first * first / size;
    }
    sampling += count * (squares - mean * mean);
    n += count;
  }
  return noise + n / (n - 1) * (sampling - population_variance / n);
}

TEST_CASE("the standard error agrees with the law of the reports") {
  for (const QuestionCase& c : question_cases()) {
    INFO(c.parts.name);
    const Task task = c.task();
    const std::vector<Record> all = all_records(task.schema());
    for (const std::vector<Record>& people : {std::vector<Record>{all.front()}, std::vector<Record>{all[1], all.back()},
                                              std::vector<Record>{all.back()}, all}) {
      const Functions functions = box(task.schema());
      compiler::LinearQuery query = product_query(task, functions);
      double ones = 0;
      for (const Record& record : people) ones += product_at(functions, record) / static_cast<double>(people.size());
      for (int terms = 1; terms <= 2; ++terms) {
        const QuestionSums sums(task, query, expected_counts(task, kMany));
        const Estimate answer = estimate(task, query, sums.expected_tally(people), 0.95).value();
        CHECK(answer.value == doctest::Approx(ones).epsilon(1e-5));
        const double variance = exact_variance(sums, people, ones * (1 - ones));
        CHECK(answer.standard_error * answer.standard_error == doctest::Approx(variance).epsilon(2e-4));
        // Written as two terms, the function has the same standard error.
        Functions first = functions;
        Functions second = functions;
        std::ranges::fill(first.back(), 0.0);
        first.back()[1] = functions.back()[1];
        second.back()[1] = 0;
        query.terms = {product_term(task, first), product_term(task, second)};
      }
    }
  }
}

TEST_CASE("the influence and the guaranteed interval cover all questions and answers") {
  for (const QuestionCase& c : question_cases()) {
    INFO(c.parts.name);
    const Task task = c.task();
    const std::vector<Record> all = all_records(task.schema());
    const compiler::LinearQuery query = product_query(task, box(task.schema()));
    const double n = 1e6;
    const QuestionSums sums(task, query, expected_counts(task, n));
    double low = 0;
    double high = 0;
    tails::ReportError error;
    for (const auto& [asked, count] : sums.counts()) {
      double largest_square = 0;
      double least_mean = std::numeric_limits<double>::infinity();
      double most_mean = -least_mean;
      for (const Record& record : all) {
        const auto [mean, square] = sums.moments(asked, record);
        largest_square = std::max(largest_square, square - mean * mean);
        least_mean = std::min(least_mean, mean);
        most_mean = std::max(most_mean, mean);
      }
      error.bounded_variance += n * count * largest_square;
      error.subgaussian_variance += n * count * (most_mean - least_mean) * (most_mean - least_mean) / 2;
      for (const std::uint64_t group : sums.groups(asked)) {
        for (const std::uint32_t k : sums.answers(group)) {
          const double phi = sums.contribution(group, k);
          low = std::min(low, phi);
          high = std::max(high, phi);
          error.bounded_radius = std::max({error.bounded_radius, n * (phi - most_mean), n * (least_mean - phi)});
        }
      }
    }
    const tally::Tally tally = sums.expected_tally(all);
    const Estimate answer = estimate(task, query, tally, 0.95).value();
    CHECK(answer.influence == doctest::Approx(high - low).epsilon(1e-3));
    const double width = (answer.guaranteed.high - answer.guaranteed.low) / 2;
    const double best = tails::chernoff_half_width(error, static_cast<std::uint64_t>(n), 0.05).value();
    CHECK(width > best * 0.999);
    CHECK(width < best * 1.6);
  }
}

TEST_CASE("a tally gives the same answers whether it is indexed or decoded for each query") {
  for (const QuestionCase& c : question_cases()) {
    const Task task = c.task();
    const tally::Tally tally = drawn_tally(task, 300);
    const auto& sampled = std::get<tally::SampledTally>(tally.kind());
    const compiler::LinearQuery query = product_query(task, box(task.schema()));
    compiler::Work work;
    const Estimate stored = question_estimate(QuestionIndex::create(task, sampled).value(), query, 0.95, work).value();
    const Estimate decoded =
        question_estimate(QuestionIndex::create(task, sampled, 0).value(), query, 0.95, work).value();
    CHECK(stored.value == decoded.value);
    CHECK(stored.standard_error == decoded.standard_error);
  }
}

TEST_CASE("the error about missing reports names the sets of attributes about which no report has asked") {
  const QuestionCase c = question_cases().front();
  const Task task = c.task();
  const compiler::LinearQuery query = product_query(task, box(task.schema()));
  std::map<Asked, double> counts = expected_counts(task, 1e4);
  std::erase_if(counts, [](const auto& of) { return of.first.second == std::vector<std::uint32_t>{0, 1}; });
  const QuestionSums no_pairs(task, query, counts);
  const auto missing = estimate(task, query, no_pairs.expected_tally({all_records(task.schema()).front()}), 0.95);
  CHECK(missing.error().code == ErrorCode::kNoReports);
  CHECK(missing.error().message == "no report has asked about a0 and a1 yet");

  counts = expected_counts(task, 1e4);
  std::erase_if(counts, [](const auto& of) { return of.first.second == std::vector<std::uint32_t>{1}; });
  const QuestionSums no_single(task, query, counts);
  const tally::Tally tally = no_single.expected_tally({all_records(task.schema()).front()});
  CHECK(estimate(task, query, tally, 0.95).error().message == "no report has asked about a1 yet");
  // A product of functions with mean 0 needs only reports about pairs.
  const compiler::LinearQuery centred = product_query(task, {{-1, 1}, {2, 1, 0, -1, -2}});
  CHECK(estimate(task, centred, tally, 0.95));

  QuestionCase never = c;
  never.parts.channel.groups = {{kSingle, 1, 1}};
  const Task singles = never.task();
  const auto refused = estimate(singles, query, drawn_tally(singles, 1000), 0.95);
  CHECK(refused.error().code == ErrorCode::kQueryNotCovered);
}

TEST_CASE("the estimate of a constant query is exact, and few reports cause a warning") {
  const Task task = question_cases()[1].task();
  compiler::LinearQuery constant;
  constant.offset = 1;
  const Estimate one = estimate(task, constant, drawn_tally(task, 20), 0.95).value();
  CHECK(one.value == 1);
  CHECK(one.standard_error == 0);
  CHECK(one.guaranteed.low == 1);
  CHECK(one.influence == 0);
  CHECK(one.warnings.empty());

  const compiler::LinearQuery query = product_query(task, box(task.schema()));
  const auto warns = [&](const tally::Tally& tally) {
    const Estimate answer = estimate(task, query, tally, 0.95).value();
    CHECK(answer.standard_error > 0);
    return std::ranges::any_of(answer.warnings,
                               [](const std::string& text) { return text.starts_with("few reports"); });
  };
  for (std::uint64_t reports = 1; reports < 8; ++reports) {
    CHECK(warns(sampled_tally_of({{3, 1, reports}})));
    CHECK(warns(sampled_tally_of({{3, 1, 1}, {5, 2, reports}})));
  }
  CHECK(!warns(drawn_tally(task, 100'000)));
}

TEST_CASE("queries and tallies of other tasks are refused") {
  const Task task = question_cases()[0].task();
  const tally::Tally tally = drawn_tally(task, 100);
  const auto code = [&](const compiler::LinearQuery& query) { return estimate(task, query, tally, 0.95).error().code; };
  compiler::LinearQuery query;
  query.weights.push_back({0, 1});
  CHECK(code(query) == ErrorCode::kInvalidArgument);
  query = product_query(question_cases()[1].task(), box(question_cases()[1].task().schema()));
  CHECK(code(query) == ErrorCode::kInvalidArgument);
  query = product_query(task, box(task.schema()));
  query.terms.front().parts.back().attribute = 2;
  CHECK(code(query) == ErrorCode::kInvalidArgument);
  query = product_query(task, box(task.schema()));
  const std::uint64_t groups = sampled_of(task).groups();
  CHECK(estimate(task, query, sampled_tally_of({{groups, 0, 1}}), 0.95).error().code == ErrorCode::kInvalidArgument);
  CHECK(estimate(task, query, sampled_tally_of({{0, 2, 1}}), 0.95).error().code == ErrorCode::kInvalidArgument);
  // The question has three answers in a field of two bits, so one value of the field stands for no answer.
  const Task hashes = question_cases().back().task();
  query = product_query(hashes, box(hashes.schema()));
  const std::uint64_t last = sampled_of(hashes).groups() - 1;
  CHECK(estimate(hashes, query, sampled_tally_of({{last, 3, 1}}), 0.95).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("an estimator that is asked to stop ends with an error") {
  const Task task = question_cases()[0].task();
  std::stop_source source;
  const Estimator estimator = Estimator::create(task, drawn_tally(task, 100), source.get_token()).value();
  source.request_stop();
  CHECK(estimator.estimate(product_query(task, box(task.schema())), 0.95).error().code == ErrorCode::kCancelled);
  CHECK(estimator.table(std::vector<std::uint32_t>{0, 1}, 0.95).error().code == ErrorCode::kCancelled);
}

// As a product, the conjunction of a cell's values has the estimate of the cell. The product of parities has the
// estimate of the mean.
TEST_CASE("tables and means agree with the estimates of their products") {
  for (const QuestionCase& c : question_cases()) {
    INFO(c.parts.name);
    const Task task = c.task();
    const Estimator estimator = Estimator::create(task, drawn_tally(task, 2000)).value();
    const auto& characters = std::get<Characters>(task.arrangement().kind());
    for (std::uint32_t set = 1; set < 1U << task.schema().size(); ++set) {
      std::vector<std::uint32_t> attributes;
      for (std::uint32_t i = 0; i < task.schema().size(); ++i) {
        if ((set >> i & 1U) != 0) attributes.push_back(i);
      }
      const auto table = estimator.table(attributes, 0.95);
      const auto means = estimator.means(attributes);
      REQUIRE(table);
      double sum = 0;
      for (std::size_t cell = 0; cell < table->values.size(); ++cell) {
        Functions functions(task.schema().size());
        std::size_t rest = cell;
        for (std::size_t i = attributes.size(); i-- > 0; rest /= table->sizes[i]) {
          const auto value = static_cast<std::uint32_t>(rest % table->sizes[i]);
          functions[attributes[i]] = between(value, value, table->sizes[i]);
        }
        const Estimate answer = estimator.estimate(product_query(task, functions), 0.95).value();
        CHECK(table->values[cell] == doctest::Approx(answer.value).epsilon(1e-9));
        CHECK(table->standard_errors[cell] == doctest::Approx(answer.standard_error).epsilon(1e-9));
        sum += table->values[cell];
      }
      CHECK(sum == doctest::Approx(1));
      REQUIRE(means);
      for (std::size_t at = 0; at < means->means.size(); ++at) {
        Functions functions(task.schema().size());
        for (const Factor& factor : characters.factors(static_cast<std::uint32_t>(means->first + at))) {
          for (std::uint32_t v = 0; v < task.schema()[factor.attribute].size(); ++v) {
            functions[factor.attribute].push_back((std::popcount(factor.mask & v) & 1) != 0 ? -1 : 1);
          }
        }
        const Estimate answer = estimator.estimate(product_query(task, functions), 0.95).value();
        CHECK(means->means[at] == doctest::Approx(answer.value).epsilon(1e-9));
        CHECK(means->variances[at] > 0);
      }
    }
  }
}

}  // namespace
}  // namespace hearsay::estimator
