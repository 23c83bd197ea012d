// The cost of a value is the variance of the estimated fraction of people with this value. The tests compute the cost
// from the questions, by QuestionLaw and AnswerMoments, and compare the cost with closed forms and with the literature.
#include "aggregator/planner/point_questions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "aggregator/compiler/question_law.h"
#include "aggregator/planner/answer_moments.h"
#include "aggregator/planner/smooth_maximum.h"
#include "aggregator/planner/wide_questions.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"
#include "hearsay/query.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

// Returns the variance of the estimated fraction with `value`, times the number of people, in two populations. In the
// first, everybody has the other value with the largest variance. The second is the worst mixture of these two values.
PointVariance variance_in(const Questions& questions, double gamma, std::uint32_t value) {
  std::vector<double> indicator(questions.values(), 0);
  indicator[value] = 1;
  const compiler::QuestionLaw::Solution solution = compiler::QuestionLaw(questions).solve(indicator).value();
  std::vector<double> truth = AnswerMoments(questions).at_values(solution.weights, solution.weights);
  const auto second = [&](double moment) { return (gamma * moment + (1 - gamma) * solution.energy) / (gamma * gamma); };
  const double on = second(truth[value]);
  truth[value] = 0;
  const double off = second(*std::max_element(truth.begin(), truth.end()));
  return {off - std::pow(solution.mean, 2), worst_share(on, off, solution.mean).variance};
}

PointVariance variance_in(const std::string& shape, const std::string& epsilon, const SampledSpec& spec,
                          std::uint32_t value) {
  const Task task = tests::task_over(shape, epsilon, CharactersSpec{1}, spec);
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  REQUIRE(channel.classes().size() == 1);
  return variance_in(channel.questions(0), channel.gamma(channel.classes()[0]), value);
}

// Returns the variance if nobody has the value, for the best of three oracles: OUE (Wang, Blocki, Li and Jha 2017),
// subset selection (Ye and Barg 2018), and Hadamard response in its form for small ε (Acharya, Sun and Zhang 2019).
double best_oracle(std::uint32_t values, double epsilon) {
  const double odds = std::exp(epsilon);
  double best = std::min(4 * odds / std::pow(odds - 1, 2), std::pow((odds + 1) / (odds - 1), 2));
  for (std::uint32_t size = 1; size < values; ++size) {
    const double all = size * odds + values - size;
    const double own = size * odds / all;
    const double other =
        (size * odds * (size - 1) + (values - size) * static_cast<double>(size)) / (all * (values - 1));
    best = std::min(best, other * (1 - other) / std::pow(own - other, 2));
  }
  return best;
}

TEST_CASE("the cost of the fraction with one value agrees with sums over all questions and answers") {
  constexpr double kEpsilon = 1.5;
  const auto gamma = [](double answers) { return std::expm1(kEpsilon) / (std::expm1(kEpsilon) + answers); };
  const auto check = [&](const QuestionSpec& spec, std::uint32_t values, const PointVariance& stated) {
    CAPTURE(spec.index());
    CAPTURE(values);
    const Questions questions = Questions::create(spec, values).value();
    for (const std::uint32_t value : {0U, 4U}) {
      const PointVariance variance = variance_in(questions, gamma(questions.answers()), value);
      CHECK(variance.rare == doctest::Approx(stated.rare).epsilon(1e-9));
      CHECK(variance.worst == doctest::Approx(stated.worst).epsilon(1e-9));
    }
  };
  for (const auto& [values, bits] : {std::pair(8U, 1U), std::pair(8U, 2U), std::pair(16U, 3U), std::pair(16U, 4U)}) {
    check(ParityQuestions{bits}, values, parity_variance(values, bits, kEpsilon));
  }
  for (const auto& [values, answers] :
       {std::pair(5U, 2U), std::pair(7U, 3U), std::pair(13U, 5U), std::pair(13U, 12U), std::pair(6U, 6U)}) {
    check(HashQuestions{answers}, values, hash_variance(values, answers, kEpsilon));
  }
}

// If some places stand for no value, the cost is an average over the absent values.
TEST_CASE("for numbers of values that leave places empty, hashes cost nearly the stated cost") {
  for (const auto& [values, answers] : {std::pair(9U, 3U), std::pair(33U, 12U), std::pair(114U, 50U)}) {
    CAPTURE(values);
    const Questions questions = Questions::create(HashQuestions{answers}, values).value();
    const double gamma = std::expm1(2.0) / (std::expm1(2.0) + answers);
    const PointVariance variance = variance_in(questions, gamma, 1);
    CHECK(variance.rare == doctest::Approx(hash_variance(values, answers, 2).rare).epsilon(0.01));
  }
}

TEST_CASE("in a planned task a rare value costs at most 1.08 times its cost with the best frequency oracle") {
  for (const std::uint32_t values : {5U, 33U, 50U, 64U, 100U, 1000U}) {
    for (const std::string epsilon : {"0.5", "1", "2", "3", "4", "6"}) {
      CAPTURE(values);
      CAPTURE(epsilon);
      const std::string shape = "c" + std::to_string(values);
      const Schema schema = tests::schema_of(shape);
      const std::uint32_t last = values - 1;
      const std::vector<Query> queries{Query::parse(schema, "a0 = v0").value(),
                                       Query::parse(schema, "a0 = v" + std::to_string(last)).value()};
      double best = INFINITY;
      for (const WideProposal& proposal : wide_questions(schema, queries, std::stod(epsilon))) {
        best = std::min(best, std::max(variance_in(shape, epsilon, proposal.spec, 0).rare,
                                       variance_in(shape, epsilon, proposal.spec, last).rare));
      }
      CHECK(best <= 1.08 * best_oracle(values, std::stod(epsilon)));
    }
  }
}

TEST_CASE("the stated cost of a rare value is at most 1.08 times the cost with the best frequency oracle") {
  for (std::uint32_t values = 3; values <= 1024; values += values < 130 ? 1 : 89) {
    for (const double epsilon : {0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.25, 6.0, 8.0}) {
      CAPTURE(values);
      CAPTURE(epsilon);
      const PointQuestions questions = questions_for_rare_points(values, epsilon);
      CHECK(questions.variance.rare <= 1.08 * best_oracle(values, epsilon));
    }
  }
}

}  // namespace
}  // namespace hearsay::planner
