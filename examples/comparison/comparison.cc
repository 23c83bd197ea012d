#include "examples/comparison/comparison.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <random>

#include "aggregator/tails/paper.h"
#include "common/base/try.h"

namespace hearsay::examples {
namespace {

// Draws crowds from the source. Holds each question's true value for every person, so that sums of these values are the
// crowd's true answers.
class CrowdSource {
 public:
  CrowdSource(const Population& source, const std::vector<Question>& questions) : source_(source) {
    for (const Question& question : questions) {
      std::vector<std::uint16_t>& values = values_.emplace_back();
      values.reserve(source.records.size());
      for (const Record& record : source.records) {
        values.push_back(static_cast<std::uint16_t>(question.value(record.values())));
      }
    }
  }

  Crowd draw(std::size_t users, PopulationGenerator& random) const {
    std::uniform_int_distribution<std::size_t> person(0, source_.records.size() - 1);
    std::vector<std::size_t> rows(users);
    Crowd crowd;
    crowd.people.reserve(users);
    for (std::size_t& row : rows) {
      row = person(random);
      crowd.people.push_back(source_.records[row]);
    }
    for (const std::vector<std::uint16_t>& values : values_) {
      std::uint64_t sum = 0;
      for (const std::size_t row : rows) sum += values[row];
      crowd.satisfying.push_back(sum);
    }
    return crowd;
  }

 private:
  const Population& source_;
  std::vector<std::vector<std::uint16_t>> values_;
};

struct Sums {
  explicit Sums(std::size_t questions) : answered(questions, true), error(questions), square(questions) {}

  void add(const Mechanism& mechanism, const Crowd& crowd, const std::vector<double>& estimates) {
    double most = 0;
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      answered[i] = answered[i] && !mechanism.refusals[i] && !std::isnan(estimates[i]);
      if (!answered[i]) continue;
      const double truth = static_cast<double>(crowd.satisfying[i]) / static_cast<double>(crowd.people.size());
      error[i] += estimates[i] - truth;
      square[i] += (estimates[i] - truth) * (estimates[i] - truth);
      most = std::max(most, std::abs(estimates[i] - truth));
    }
    worst += most;
  }

  std::vector<bool> answered;
  std::vector<double> error;
  std::vector<double> square;
  double worst = 0;
};

// Turns the sums over the runs into a score. `limits`: the one-query limit c²/4 of each question, in the question's
// units.
Score score(const Sums& sums, const std::vector<double>& predicted, const Plan& plan,
            const std::vector<double>& limits) {
  const auto runs = static_cast<double>(plan.runs);
  const auto users = static_cast<double>(plan.users);
  Score result;
  result.answered = static_cast<std::size_t>(std::count(sums.answered.begin(), sums.answered.end(), true));
  const auto answered = static_cast<double>(result.answered);
  double bias_squared = 0;
  double mean_square = 0;
  for (std::size_t i = 0; i < sums.answered.size(); ++i) {
    if (!sums.answered[i]) {
      result.queries.push_back({false, 0, 0, 0, 0});
      continue;
    }
    const double bias = sums.error[i] / runs;
    const double square = sums.square[i] / runs;
    const double variance = (square - bias * bias) * runs / (runs - 1);
    result.queries.push_back({true, bias, square, bias * bias - variance / runs, predicted[i]});
    bias_squared += result.queries.back().bias_squared / answered;
    mean_square += square / answered;
    result.limits_mean += users * square / limits[i] / answered;
    result.limits_worst = std::max(result.limits_worst, users * square / limits[i]);
    result.predicted_mean += users * predicted[i] / limits[i] / answered;
    result.predicted_worst = std::max(users * predicted[i] / limits[i], result.predicted_worst);
  }
  result.bias = std::sqrt(std::max(bias_squared, 0.0));
  result.rmse = std::sqrt(mean_square);
  result.worst_error = sums.worst / runs;
  return result;
}

}  // namespace

// The ratio Σ bias²/Σ (variance/runs) varies most if the errors of all queries are multiples of one error. The ratio is
// then the square of a variable with Student's t distribution.
bool shows_bias(const Score& score, std::size_t runs) {
  constexpr double kByChance = 0.001;
  double squares = 0;
  double noise = 0;
  for (const QueryScore& query : score.queries) {
    squares += query.bias * query.bias;
    noise += query.bias * query.bias - query.bias_squared;
  }
  const boost::math::students_t law(static_cast<double>(runs - 1));
  const double largest = boost::math::quantile(boost::math::complement(law, kByChance / 2));
  return squares > largest * largest * noise;
}

Result<std::vector<Score>> compare(const Setting& setting, const Population& source,
                                   const std::vector<Mechanism>& mechanisms, const Plan& plan,
                                   const Randomness& randomness) {
  if (plan.users < 1 || plan.runs < 2) {
    return Error{ErrorCode::kInvalidArgument, "a comparison takes at least 1 user and 2 runs"};
  }
  const std::vector<Question> questions = questions_of(setting);
  const CrowdSource crowds(source, questions);
  std::vector<Sums> sums(mechanisms.size(), Sums(questions.size()));
  for (std::size_t run = 0; run < plan.runs; ++run) {
    const Crowd crowd = crowds.draw(plan.users, randomness.made_up);
    for (std::size_t i = 0; i < mechanisms.size(); ++i) {
      if (mechanisms[i].answered() == 0) {
        sums[i].answered.assign(questions.size(), false);
        continue;
      }
      HEARSAY_TRY(const std::vector<double> estimates, mechanisms[i].run(crowd, randomness));
      sums[i].add(mechanisms[i], crowd, estimates);
    }
  }
  std::vector<double> limits;
  for (const Question& question : questions) {
    limits.push_back(tails::one_query_limit(setting.epsilon.approximate()) * question.range() * question.range());
  }
  std::vector<Score> scores;
  const planner::Census population = planner::census_of(source.records);
  for (std::size_t i = 0; i < mechanisms.size(); ++i) {
    const std::vector<double> predicted = mechanisms[i].predict ? mechanisms[i].predict(population, plan.users)
                                                                : std::vector(questions.size(), std::nan(""));
    scores.push_back(score(sums[i], predicted, plan, limits));
  }
  return scores;
}

}  // namespace hearsay::examples
