// The literature's mechanisms that work on the list of all cells of the domain.
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "aggregator/tails/paper.h"
#include "common/base/try.h"
#include "examples/comparison/literature.h"
#include "examples/comparison/reference/domain.h"
#include "examples/comparison/reference/hierarchies.h"
#include "examples/comparison/reference/hybrid_grids.h"
#include "examples/comparison/reference/linear_mechanism.h"
#include "examples/comparison/worst_question.h"

namespace hearsay::examples {
namespace {

constexpr std::size_t kMaxSetCells = std::size_t{1} << 12U;  // with more cells, drawing sets of cells takes too long
constexpr std::size_t kMaxSummands = std::size_t{1} << 28U;  // largest product of questions and cells

Result<std::shared_ptr<const Cells>> cells_of(const Setting& setting) {
  HEARSAY_TRY(const Domain domain, Domain::create(setting.schema));
  if (domain.cells() < 2) return Error{ErrorCode::kInvalidArgument, "the domain must have at least two cells"};
  const std::vector<Question> questions = questions_of(setting);
  if (questions.size() * domain.cells() > kMaxSummands) {
    return Error{ErrorCode::kLimitExceeded, "too many queries on so large a domain to simulate"};
  }
  Cells cells{domain, {}, {}, {}};
  for (const Question& question : questions) {
    std::vector<std::uint32_t>& all = cells.of_question.emplace_back();
    for (const Query& condition : question.conditions) {
      const std::vector<std::uint32_t> satisfying = domain.cells_of(condition);
      all.insert(all.end(), satisfying.begin(), satisfying.end());
    }
    cells.ranges.push_back(question.range());
  }
  if (setting.all_boxes) {
    for (const Attribute& attribute : setting.schema.attributes()) cells.all_boxes.push_back(attribute.size());
  }
  return std::make_shared<const Cells>(std::move(cells));
}

// Makes a mechanism that estimates the fraction of people in each cell. `run` simulates the reports: it takes the
// number of people in each cell, and returns the estimates of the cells.
template <class Run>
Mechanism on_domain(const std::string& name, std::size_t payload_bytes, const std::shared_ptr<const Cells>& cells,
                    const Run& run) {
  Mechanism mechanism = of_literature(name, payload_bytes);
  mechanism.refusals.resize(cells->of_question.size());
  mechanism.run = [cells, run](const Crowd& crowd, const Randomness& random) -> Result<std::vector<double>> {
    const std::vector<double> of_cell = run(cells->domain.histogram(crowd.people), random.made_up);
    std::vector<double> estimates;
    for (const std::vector<std::uint32_t>& question : cells->of_question) {
      double sum = 0;
      for (const std::uint32_t cell : question) sum += of_cell[cell];
      estimates.push_back(sum);
    }
    return estimates;
  };
  return mechanism;
}

// Predicts the variance among the reporters: the variance for people drawn at random, minus the variance of drawing
// people.
std::vector<double> predict(const LinearMechanism& kind, const Cells& cells, const planner::Census& population,
                            std::size_t users) {
  std::vector<double> parts(cells.domain.cells());
  for (std::size_t i = 0; i < population.records.size(); ++i) {
    parts[cells.domain.cell_of(population.records[i])] += population.parts[i];
  }
  std::vector<double> predicted;
  for (std::size_t question = 0; question < cells.of_question.size(); ++question) {
    const std::vector<double> function = function_of(cells, question);
    double mean = 0;
    double square = 0;
    for (std::size_t cell = 0; cell < parts.size(); ++cell) {
      mean += parts[cell] * function[cell];
      square += parts[cell] * function[cell] * function[cell];
    }
    const double among = kind.variance(function, parts) - (square - mean * mean);
    predicted.push_back(among / static_cast<double>(users));
  }
  return predicted;
}

Mechanism linear(const std::string& name, const LinearMechanism& kind, std::size_t payload_bytes,
                 const std::shared_ptr<const Cells>& cells, const Epsilon& epsilon) {
  Mechanism mechanism = on_domain(name, payload_bytes, cells,
                                  [kind](const std::vector<std::uint64_t>& histogram, PopulationGenerator& random) {
                                    return kind.run(histogram, random);
                                  });
  mechanism.predict = [kind, cells](const planner::Census& population, std::size_t users) {
    return predict(kind, *cells, population, users);
  };
  mechanism.limit_ratio = [kind, cells, limit = tails::one_query_limit(epsilon.approximate())] {
    return LimitRatio{worst_variance(*cells, kind) / limit, false};
  };
  return mechanism;
}

// A frequency oracle on the domain. If `adjusted`, the comparison also has a mechanism with the estimates after
// make_sum_to_one().
struct Oracle {
  std::string name;
  FrequencyOracle kind;
  std::size_t payload_bytes;
  bool adjusted;
};

std::vector<Oracle> oracles(std::size_t cells, double epsilon) {
  const auto hadamard = HadamardResponse::create(cells, epsilon);
  const auto subsets = SubsetSelection::create(cells, epsilon);
  const std::size_t bits = (cells + 7) / 8;
  return {{"RAPPOR one-time (SUE)", UnaryEncoding::symmetric(epsilon), bits, true},
          {"OUE", UnaryEncoding::optimised(epsilon), bits, true},
          {"k-ary randomized response", KaryResponse::create(cells, epsilon), bytes_for(cells), false},
          {"Hadamard response", hadamard, bytes_for(hadamard.outputs()), false},
          {"subset selection", subsets, std::min(bits, subsets.chosen() * bytes_for(cells)), false}};
}

bool ordered(const Schema& schema) {
  return std::all_of(schema.attributes().begin(), schema.attributes().end(),
                     [](const Attribute& attribute) { return attribute.kind() == AttributeKind::kRange; });
}

void append_hierarchies(const std::shared_ptr<const Cells>& cells, const Epsilon& epsilon,
                        std::vector<Mechanism>& list) {
  const std::size_t size = cells->domain.cells();
  for (const std::size_t fanout : {2U, 4U, 8U, 16U}) {
    const auto tree = hierarchical_histogram(size, fanout, epsilon.approximate());
    const std::size_t bytes = 1 + (tree.levels.front().parts + 7) / 8;
    list.push_back(linear("hierarchy of " + std::to_string(fanout) + ", consistent", tree, bytes, cells, epsilon));
  }
  const auto haar = haar_hrr(size, epsilon.approximate());
  list.push_back(linear("HaarHRR", haar, 1 + bytes_for(haar.levels.front().parts), cells, epsilon));
}

// Makes the mechanism for two ordered attributes. A report holds the number of a grid and one bit for each of the
// grid's parts. Grids are finer if there are more users. The stated size of a report is for a million users.
Mechanism hybrid_grids(const std::shared_ptr<const Cells>& cells, const Schema& schema, double epsilon) {
  const std::array<std::uint32_t, 2> sizes{schema[0].size(), schema[1].size()};
  const auto run = [sizes, epsilon](const std::vector<std::uint64_t>& histogram, PopulationGenerator& random) {
    const std::uint64_t users = std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
    return HybridGrids::create(sizes, epsilon, users).run(histogram, random);
  };
  const HybridGrids million = HybridGrids::create(sizes, epsilon, 1'000'000);
  const std::size_t bits = std::max(million.fine(), million.coarse() * million.coarse());
  return on_domain("HDG", 1 + (bits + 7) / 8, cells, run);
}

}  // namespace

std::vector<Mechanism> mechanisms_on_cells(const Setting& setting) {
  const auto cells = cells_of(setting);
  const std::size_t questions = setting.queries.size() + setting.means.size();
  const std::size_t size = cells ? (*cells)->domain.cells() : 2;
  std::vector<Mechanism> list;
  for (const Oracle& oracle : oracles(size, setting.epsilon.approximate())) {
    if (!cells) {
      list.push_back(refused(oracle.name, Origin::kLiterature, cells.error(), questions));
    } else if (std::holds_alternative<SubsetSelection>(oracle.kind) && size > kMaxSetCells) {
      const Error error{ErrorCode::kDomainTooLarge, "sets of more than 4,096 cells take too long to simulate"};
      list.push_back(refused(oracle.name, Origin::kLiterature, error, questions));
    } else {
      list.push_back(linear(oracle.name, plain(oracle.kind, size), oracle.payload_bytes, *cells, setting.epsilon));
      if (!oracle.adjusted) continue;
      list.push_back(linear(oracle.name + ", sum-to-one", sum_to_one(oracle.kind, size), oracle.payload_bytes, *cells,
                            setting.epsilon));
    }
  }
  if (!cells || !ordered(setting.schema)) return list;
  if (setting.schema.size() == 1) append_hierarchies(*cells, setting.epsilon, list);
  if (setting.schema.size() == 2 && setting.means.empty()) {
    list.push_back(hybrid_grids(*cells, setting.schema, setting.epsilon.approximate()));
  }
  return list;
}

}  // namespace hearsay::examples
