#include "examples/comparison/mechanism.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace hearsay::examples {

std::size_t Mechanism::answered() const {
  return static_cast<std::size_t>(std::count(refusals.begin(), refusals.end(), std::nullopt));
}

std::vector<Question> questions_of(const Setting& setting) {
  std::vector<Question> questions;
  for (const Query& query : setting.queries) questions.push_back({{query}, query.as_written(setting.schema)});
  for (const std::uint32_t attribute : setting.means) questions.push_back(mean_of(setting.schema, attribute));
  return questions;
}

Mechanism refused(std::string name, Origin origin, const Error& error, std::size_t questions) {
  Mechanism mechanism;
  mechanism.name = std::move(name);
  mechanism.origin = origin;
  mechanism.refusals.assign(questions, error);
  mechanism.run = [questions](const Crowd&, const Randomness&) -> Result<std::vector<double>> {
    return std::vector<double>(questions);
  };
  return mechanism;
}

Mechanism one_query_response(const Setting& setting) {
  const double truth = 1 / (1 + std::exp(-setting.epsilon.approximate()));  // probability of telling the truth
  Mechanism mechanism;
  mechanism.name = "randomized response, one query";
  mechanism.origin = Origin::kLimit;
  mechanism.payload_bytes = 1;
  mechanism.refusals.resize(setting.queries.size());
  mechanism.limit_ratio = [] { return LimitRatio{1, false}; };
  // In any population the variance of the answer among the reporters is (c²-1)/4 a report, with c = 1/(2·truth-1).
  const double variance = truth * (1 - truth) / ((2 * truth - 1) * (2 * truth - 1));
  mechanism.predict = [variance, queries = setting.queries.size()](const planner::Census&, std::size_t users) {
    return std::vector<double>(queries, variance / static_cast<double>(users));
  };
  mechanism.run = [truth](const Crowd& crowd, const Randomness& random) -> Result<std::vector<double>> {
    // Each answer is "yes" with probability `truth` or 1 - `truth`, independently, so the number of "yes" is a sum of
    // two binomials.
    using Binomial = std::binomial_distribution<std::uint64_t>;
    const std::uint64_t users = crowd.people.size();
    std::vector<double> estimates;
    for (const std::uint64_t satisfying : crowd.satisfying) {
      const std::uint64_t yes =
          Binomial(satisfying, truth)(random.made_up) + Binomial(users - satisfying, 1 - truth)(random.made_up);
      estimates.push_back((static_cast<double>(yes) / static_cast<double>(users) - (1 - truth)) / (2 * truth - 1));
    }
    return estimates;
  };
  return mechanism;
}

}  // namespace hearsay::examples
