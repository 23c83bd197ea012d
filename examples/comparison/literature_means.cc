// The literature's mechanisms for a mean. The mechanisms map the attribute's values to the interval from -1 to 1.
#include "aggregator/tails/paper.h"
#include "examples/comparison/literature.h"
#include "examples/comparison/reference/linear_mechanism.h"
#include "examples/comparison/reference/mean_mechanisms.h"

namespace hearsay::examples {
namespace {

template <class Kind>
Mechanism of_mean(const std::string& name, const Kind& kind, std::size_t payload_bytes, const Setting& setting) {
  Mechanism mechanism = of_literature(name, payload_bytes);
  mechanism.refusals.resize(1);
  const std::uint32_t attribute = setting.means.front();
  const std::uint32_t size = setting.schema[attribute].size();
  const double half = (size - 1) / 2.0;
  const auto place = [half](std::uint32_t value) { return value / half - 1; };
  mechanism.predict = [=](const planner::Census& population, std::size_t users) {
    double variance = 0;
    for (std::size_t i = 0; i < population.records.size(); ++i) {
      variance += population.parts[i] * kind.variance(place(population.records[i][attribute]));
    }
    return std::vector<double>{half * half * variance / static_cast<double>(users)};
  };
  mechanism.limit_ratio = [=, limit = tails::one_query_limit(setting.epsilon.approximate())] {
    std::vector<Vertex> values;
    for (std::uint32_t value = 0; value < size; ++value) {
      const double x = place(value);
      values.push_back({kind.variance(x) + x * x, {x}});
    }
    return LimitRatio{largest_variance(std::move(values)) / (4 * limit),
                      false};  // divides by the squared length of [-1, 1]
  };
  mechanism.run = [=](const Crowd& crowd, const Randomness& random) -> Result<std::vector<double>> {
    double sum = 0;
    for (const Record& person : crowd.people) sum += kind.randomize(place(person[attribute]), random.made_up);
    return std::vector<double>{half * (sum / static_cast<double>(crowd.people.size()) + 1)};
  };
  return mechanism;
}

}  // namespace

std::vector<Mechanism> mean_mechanisms(const Setting& setting) {
  const double epsilon = setting.epsilon.approximate();
  return {of_mean("one-bit mean", OneBitMean(epsilon), 1, setting),
          of_mean("piecewise mean", PiecewiseMean(epsilon), sizeof(double), setting)};
}

}  // namespace hearsay::examples
