// The reference points of the literature, on the domain of all attributes' product or on its low-order parities.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <string>

#include "aggregator/tally/tally.h"
#include "common/base/try.h"
#include "examples/comparison/mechanism.h"
#include "examples/comparison/reference/domain.h"
#include "examples/comparison/reference/hadamard_response.h"
#include "examples/comparison/reference/kary_response.h"
#include "examples/comparison/reference/sampled_fourier.h"
#include "examples/comparison/reference/unary_encoding.h"

namespace hearsay::examples {
namespace {

constexpr std::size_t kMaxSummands = std::size_t{1} << 26U;

// The domain with the cells of each query.
struct Cells {
  Domain domain;
  std::vector<std::vector<std::uint32_t>> of_query;
};

Result<std::shared_ptr<const Cells>> cells_of(const Setting& setting) {
  HEARSAY_TRY(const Domain domain, Domain::create(setting.schema));
  if (domain.cells() < 2) return Error{ErrorCode::kInvalidArgument, "a domain of one cell"};
  if (setting.queries.size() * domain.cells() > kMaxSummands * 4) {
    return Error{ErrorCode::kLimitExceeded, "too many queries on so large a domain to simulate"};
  }
  std::vector<std::vector<std::uint32_t>> of_query;
  for (const Query& query : setting.queries) of_query.push_back(domain.cells_of(query));
  return std::make_shared<const Cells>(Cells{domain, std::move(of_query)});
}

std::size_t bytes_for(std::size_t outcomes) { return (std::bit_width(outcomes - 1) + 7) / 8; }

// Every query's variance among the reporters, by the published variance of a report from each cell.
template <class Kind>
std::vector<double> predict(const Kind& kind, const Cells& cells, bool sum_to_one, const planner::Census& population,
                            std::size_t users) {
  std::vector<double> predicted;
  for (const std::vector<std::uint32_t>& query : cells.of_query) {
    std::vector<double> weights(cells.domain.cells());
    for (const std::uint32_t cell : query) weights[cell] = 1;
    const std::vector<double> variances =
        kind.report_variances(sum_to_one ? sum_to_one_weights(query, cells.domain.cells()) : weights);
    double variance = 0;
    for (std::size_t i = 0; i < population.records.size(); ++i) {
      variance += population.parts[i] * variances[cells.domain.cell_of(population.records[i])];
    }
    predicted.push_back(variance / static_cast<double>(users));
  }
  return predicted;
}

template <class Kind>
Mechanism on_domain(const std::string& name, const Kind& kind, std::size_t payload_bytes,
                    const std::shared_ptr<const Cells>& cells, bool sum_to_one) {
  Mechanism mechanism;
  mechanism.name = name;
  mechanism.origin = Origin::kLiterature;
  mechanism.payload_bytes = payload_bytes;
  mechanism.refusals.resize(cells->of_query.size());
  mechanism.predict = [kind, cells, sum_to_one](const planner::Census& population, std::size_t users) {
    return predict(kind, *cells, sum_to_one, population, users);
  };
  mechanism.run = [kind, cells, sum_to_one](const Crowd& crowd,
                                            const Randomness& random) -> Result<std::vector<double>> {
    const std::vector<std::uint64_t> counts = kind.counts(cells->domain.histogram(crowd.people), random.made_up);
    std::vector<double> of_cell = kind.estimate(counts, crowd.people.size());
    if (sum_to_one) make_sum_to_one(of_cell);
    std::vector<double> estimates;
    for (const std::vector<std::uint32_t>& query : cells->of_query) {
      double sum = 0;
      for (const std::uint32_t cell : query) sum += of_cell[cell];
      estimates.push_back(sum);
    }
    return estimates;
  };
  return mechanism;
}

Mechanism sampled_fourier(const Setting& setting) {
  const std::string name = "sampled Fourier (2018)";
  const std::uint32_t order = planner::order_of(setting.workload);
  auto fourier = SampledFourier::create(setting.schema, std::max(order, 1U), setting.epsilon.approximate());
  if (!fourier) return refused(name, Origin::kLiterature, fourier.error(), setting.queries.size());

  Mechanism mechanism;
  mechanism.name = name;
  mechanism.origin = Origin::kLiterature;
  mechanism.payload_bytes = bytes_for(2 * fourier->parities());
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

}  // namespace

std::vector<Mechanism> literature_mechanisms(const Setting& setting) {
  const std::vector<std::string> names{
      "RAPPOR one-time (SUE)", "RAPPOR one-time (SUE), sum-to-one", "OUE",
      "OUE, sum-to-one",       "k-ary randomized response",         "Hadamard response"};
  const double epsilon = setting.epsilon.approximate();
  std::vector<Mechanism> list;
  if (const auto cells = cells_of(setting)) {
    const std::size_t size = (*cells)->domain.cells();
    const auto symmetric = UnaryEncoding::symmetric(epsilon);
    const auto optimised = UnaryEncoding::optimised(epsilon);
    const std::size_t unary_bytes = (size + 7) / 8;
    list.push_back(on_domain(names[0], symmetric, unary_bytes, *cells, false));
    list.push_back(on_domain(names[1], symmetric, unary_bytes, *cells, true));
    list.push_back(on_domain(names[2], optimised, unary_bytes, *cells, false));
    list.push_back(on_domain(names[3], optimised, unary_bytes, *cells, true));
    list.push_back(on_domain(names[4], KaryResponse::create(size, epsilon), bytes_for(size), *cells, false));
    const auto hadamard = HadamardResponse::create(size, epsilon);
    list.push_back(on_domain(names[5], hadamard, bytes_for(hadamard.outputs()), *cells, false));
  } else {
    for (const std::string& name : names) {
      list.push_back(refused(name, Origin::kLiterature, cells.error(), setting.queries.size()));
    }
  }
  list.push_back(sampled_fourier(setting));
  return list;
}

}  // namespace hearsay::examples
