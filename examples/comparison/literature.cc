// The reference points of the literature, on the domain of all attributes' product or on its low-order parities.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <string>

#include "aggregator/tails/paper.h"
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

// The worst query's variance over the worst population, all in one cell, in units of the one-query limit.
template <class Kind>
double predict(const Kind& kind, const Cells& cells, bool sum_to_one, double limit) {
  double worst = 0;
  for (const std::vector<std::uint32_t>& query : cells.of_query) {
    std::vector<double> weights(cells.domain.cells());
    for (const std::uint32_t cell : query) weights[cell] = 1;
    const std::vector<double> variances =
        kind.report_variances(sum_to_one ? sum_to_one_weights(query, cells.domain.cells()) : weights);
    worst = std::max(worst, *std::max_element(variances.begin(), variances.end()));
  }
  return worst / limit;
}

template <class Kind>
Mechanism on_domain(const std::string& name, const Kind& kind, std::size_t payload_bytes,
                    const std::shared_ptr<const Cells>& cells, bool sum_to_one, double limit) {
  Mechanism mechanism;
  mechanism.name = name;
  mechanism.origin = Origin::kLiterature;
  mechanism.payload_bytes = payload_bytes;
  mechanism.refusals.resize(cells->of_query.size());
  mechanism.predicted = predict(kind, *cells, sum_to_one, limit);
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

Mechanism sampled_fourier(const Setting& setting, double limit) {
  const std::string name = "sampled Fourier (2018)";
  const std::uint32_t order = planner::order_of(setting.workload);
  auto fourier = SampledFourier::create(setting.schema, std::max(order, 1U), setting.epsilon.approximate());
  if (!fourier) return refused(name, Origin::kLiterature, fourier.error(), setting.queries.size());

  Mechanism mechanism;
  mechanism.name = name;
  mechanism.origin = Origin::kLiterature;
  mechanism.payload_bytes = bytes_for(2 * fourier->parities());
  std::vector<SampledFourier::Expansion> expansions;
  double worst = 0;
  for (const Query& query : setting.queries) {
    auto expansion = fourier->expand(query);
    mechanism.refusals.push_back(expansion ? std::nullopt : std::optional<Error>(expansion.error()));
    expansions.push_back(expansion ? *std::move(expansion) : SampledFourier::Expansion{});
    double energy = 0;
    for (const auto& term : expansions.back().terms) energy += term.value * term.value;
    // All coefficients of mean 0, and as many answers to each parity as expected.
    worst = std::max(worst, energy * static_cast<double>(fourier->parities()) / (fourier->gamma() * fourier->gamma()));
  }
  mechanism.predicted = worst / limit;
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
  const double limit = tails::one_query_limit(epsilon);
  std::vector<Mechanism> list;
  if (const auto cells = cells_of(setting)) {
    const std::size_t size = (*cells)->domain.cells();
    const auto symmetric = UnaryEncoding::symmetric(epsilon);
    const auto optimised = UnaryEncoding::optimised(epsilon);
    const std::size_t unary_bytes = (size + 7) / 8;
    list.push_back(on_domain(names[0], symmetric, unary_bytes, *cells, false, limit));
    list.push_back(on_domain(names[1], symmetric, unary_bytes, *cells, true, limit));
    list.push_back(on_domain(names[2], optimised, unary_bytes, *cells, false, limit));
    list.push_back(on_domain(names[3], optimised, unary_bytes, *cells, true, limit));
    list.push_back(on_domain(names[4], KaryResponse::create(size, epsilon), bytes_for(size), *cells, false, limit));
    const auto hadamard = HadamardResponse::create(size, epsilon);
    list.push_back(on_domain(names[5], hadamard, bytes_for(hadamard.outputs()), *cells, false, limit));
  } else {
    for (const std::string& name : names) {
      list.push_back(refused(name, Origin::kLiterature, cells.error(), setting.queries.size()));
    }
  }
  list.push_back(sampled_fourier(setting, limit));
  return list;
}

}  // namespace hearsay::examples
