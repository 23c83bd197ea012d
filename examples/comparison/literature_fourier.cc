// Sampled low-order Fourier coefficients, which need no list of cells.
#include <algorithm>

#include "examples/comparison/literature.h"
#include "examples/comparison/reference/sampled_fourier.h"

namespace hearsay::examples {

Mechanism sampled_fourier(const Setting& setting) {
  const std::string name = "sampled Fourier (2018)";
  const std::uint32_t order = planner::order_of(setting.workload);
  auto fourier = SampledFourier::create(setting.schema, std::max(order, 1U), setting.epsilon.approximate());
  if (!fourier) return refused(name, Origin::kLiterature, fourier.error(), setting.queries.size());

  Mechanism mechanism = of_literature(name, bytes_for(2 * fourier->parities()));
  std::vector<SampledFourier::Expansion> expansions;
  for (const Query& query : setting.queries) {
    auto expansion = fourier->expand(query);
    mechanism.refusals.push_back(expansion ? std::nullopt : std::optional<Error>(expansion.error()));
    expansions.push_back(expansion ? *std::move(expansion) : SampledFourier::Expansion{});
  }
  mechanism.predict = [fourier = *fourier, expansions](const planner::Census& population, std::size_t users) {
    std::vector<double> predicted;
    for (const SampledFourier::Expansion& expansion : expansions) {
      predicted.push_back(fourier.expected_variance(expansion, population.records, population.parts, users));
    }
    return predicted;
  };
  mechanism.run = [fourier = *fourier, expansions](const Crowd& crowd,
                                                   const Randomness& random) -> Result<std::vector<double>> {
    const SampledFourier::Tally tally = fourier.collect(crowd.people, random.made_up);
    std::vector<double> estimates;
    for (const SampledFourier::Expansion& expansion : expansions)
      estimates.push_back(fourier.estimate(expansion, tally));
    return estimates;
  };
  return mechanism;
}

}  // namespace hearsay::examples
