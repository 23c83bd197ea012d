// Central mechanisms that add noise to counts: to each query's count, to each cell of the full domain, and to each cell
// of the queried cube.
#include <string>

#include "aggregator/central/cells/cell_release.h"
#include "aggregator/central/laplace/histogram.h"
#include "common/base/try.h"
#include "examples/comparison/reference/domain.h"
#include "examples/models/model.h"
#include "examples/models/queried_cube.h"

namespace hearsay::examples {
namespace {

using central::Neighbours;

double share(std::int64_t count, const Crowd& crowd) {
  return static_cast<double>(count) / static_cast<double>(crowd.people.size());
}

// A replaced record changes each of k counts by at most 1, so all counts together by at most k. Each count therefore
// gets noise of scale k/ε.
Model laplace_counts(const Setting& setting) {
  const std::string name = "Laplace counts";
  const std::size_t queries = setting.queries.size();
  const auto sensitivity = Rational::create(queries, 1);
  const auto mechanism = sensitivity
                             ? central::LaplaceMechanism::create(setting.epsilon, *sensitivity, Neighbours::kReplaceOne)
                             : sensitivity.error();
  if (!mechanism) return refused_central(name, mechanism.error(), queries);
  Model model = central_model(name, queries);
  model.note = "noise of scale " + mechanism->scale().to_string() + " on each count";
  model.mechanism.run = [queries = setting.queries, mechanism = *mechanism](
                            const Crowd& crowd, const Randomness& random) -> Result<std::vector<double>> {
    std::vector<std::int64_t> counts(queries.size(), 0);
    for (const Record& record : crowd.people) {
      for (std::size_t q = 0; q < queries.size(); ++q) counts[q] += queries[q].evaluate(record) ? 1 : 0;
    }
    const std::vector<std::int64_t> released = mechanism.release(counts, random.bits);
    std::vector<double> answers;
    for (const std::int64_t count : released) answers.push_back(share(count, crowd));
    return answers;
  };
  return model;
}

Model noisy_histogram(const Setting& setting) {
  const std::string name = "noisy histogram";
  const std::size_t queries = setting.queries.size();
  const auto domain = Domain::create(setting.schema);
  if (!domain) return refused_central(name, domain.error(), queries);
  const auto histogram = central::Histogram::create(setting.epsilon, domain->cells(), Neighbours::kReplaceOne);
  if (!histogram) return refused_central(name, histogram.error(), queries);
  std::vector<std::vector<std::uint32_t>> bins;
  for (const Query& query : setting.queries) bins.push_back(domain->cells_of(query));
  Model model = central_model(name, queries);
  model.note = std::to_string(domain->cells()) + " bins, the full domain";
  model.mechanism.run = [domain = *domain, histogram = *histogram, bins = std::move(bins)](
                            const Crowd& crowd, const Randomness& random) -> Result<std::vector<double>> {
    std::vector<std::uint32_t> rows;
    rows.reserve(crowd.people.size());
    for (const Record& record : crowd.people) rows.push_back(static_cast<std::uint32_t>(domain.cell_of(record)));
    const std::vector<std::int64_t> released = histogram.release(rows, random.bits);
    std::vector<double> answers;
    for (const std::vector<std::uint32_t>& of_query : bins) {
      std::int64_t sum = 0;
      for (const std::uint32_t bin : of_query) sum += released[bin];
      answers.push_back(share(sum, crowd));
    }
    return answers;
  };
  return model;
}

Result<std::vector<double>> release_cells(const QueriedCube& cube, const central::CellRelease& mechanism,
                                          const Crowd& crowd, std::size_t queries, BitSource& bits) {
  HEARSAY_TRY(central::CellCube counts, central::CellCube::create(cube.shape()));
  for (const Record& record : crowd.people) HEARSAY_CHECK_OK(counts.add(cube.coordinates(record)));
  HEARSAY_TRY(const central::ReleasedCube released, mechanism.release(counts, bits));
  std::vector<double> answers;
  for (std::size_t q = 0; q < queries; ++q) {
    std::int64_t sum = 0;
    for (const auto& [first, last] : cube.runs(q)) {
      std::vector<central::CellRange> box;
      for (const std::uint32_t value : cube.coordinates(first)) box.push_back({value, value});
      box.back().high += last - first;
      HEARSAY_TRY(const std::int64_t part, released.box(box));
      sum += part;
    }
    answers.push_back(share(sum, crowd));
  }
  return answers;
}

Model cell_release(const Setting& setting) {
  const std::string name = "cell release";
  const std::size_t queries = setting.queries.size();
  const auto cube = QueriedCube::create(setting.schema, setting.queries);
  if (!cube) return refused_central(name, cube.error(), queries);
  if (cube->shape().size() > central::kMostDimensions) {
    return refused_central(name, {ErrorCode::kDomainTooLarge, "the queries mention more than 24 attributes"}, queries);
  }
  const auto mechanism = central::CellRelease::create(setting.epsilon, Neighbours::kReplaceOne);
  if (!mechanism) return refused_central(name, mechanism.error(), queries);
  Model model = central_model(name, queries);
  model.note = std::to_string(cube->cells()) + " cells of the attributes asked about";
  model.mechanism.run = [cube = *cube, mechanism = *mechanism, queries](const Crowd& crowd, const Randomness& random) {
    return release_cells(cube, mechanism, crowd, queries, random.bits);
  };
  return model;
}

}  // namespace

std::vector<Model> counting_models(const Setting& setting) {
  return {laplace_counts(setting), noisy_histogram(setting), cell_release(setting)};
}

}  // namespace hearsay::examples
