#include "examples/comparison/reference/linear_mechanism.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "aggregator/planner/worst_population.h"
#include "examples/comparison/reference/domain.h"

namespace hearsay::examples {
namespace {

constexpr std::size_t kMaxSteps = 100'000;

// The function that planner::largest() maximises over mixtures of the vertices: Σ_l (E[square] - E[mean]²), where l
// runs over the levels.
class Mixtures {
 public:
  explicit Mixtures(std::vector<Vertex> vertices) : vertices_(std::move(vertices)) {}

  std::size_t vertices() const { return vertices_.size(); }
  Vertex moments(const std::vector<double>& parts) const {
    Vertex sum{0, std::vector<double>(vertices_.front().means.size(), 0.0)};
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
      sum.squares += parts[v] * vertices_[v].squares;
      for (std::size_t l = 0; l < sum.means.size(); ++l) sum.means[l] += parts[v] * vertices_[v].means[l];
    }
    return sum;
  }
  double slopes(const Vertex& at, std::vector<double>& out) const {
    const double square_of_mean = std::inner_product(at.means.begin(), at.means.end(), at.means.begin(), 0.0);
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
      const std::vector<double>& means = vertices_[v].means;
      const double product = std::inner_product(means.begin(), means.end(), at.means.begin(), 0.0);
      out[v] = vertices_[v].squares - at.squares - 2 * (product - square_of_mean);
    }
    return at.squares - square_of_mean;
  }
  double bend(const Vertex& step) const {
    return -std::inner_product(step.means.begin(), step.means.end(), step.means.begin(), 0.0);
  }

 private:
  std::vector<Vertex> vertices_;
};

// Returns for each cell the second moment of all levels together, if the whole population is in this cell.
std::vector<double> squares_of(const std::vector<Level>& levels, const LevelWeights& answer) {
  const auto asked = static_cast<double>(levels.size());
  std::vector<double> squares(levels.front().part_of.size());
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const std::vector<double>& weights = answer.weights[l];
    std::vector<double> of_part =
        std::visit([&weights](const auto& oracle) { return oracle.report_variances(weights); }, levels[l].oracle);
    for (std::size_t part = 0; part < of_part.size(); ++part) of_part[part] += weights[part] * weights[part];
    for (std::size_t cell = 0; cell < squares.size(); ++cell) squares[cell] += asked * of_part[levels[l].part_of[cell]];
  }
  return squares;
}

std::vector<Vertex> vertices_of(const std::vector<Level>& levels, const LevelWeights& answer,
                                const std::vector<double>& squares) {
  const double scale = std::sqrt(static_cast<double>(levels.size()));
  std::vector<Vertex> vertices;
  for (std::size_t cell = 0; cell < squares.size(); ++cell) {
    Vertex& vertex = vertices.emplace_back(Vertex{squares[cell], std::vector<double>(levels.size())});
    for (std::size_t l = 0; l < levels.size(); ++l) {
      vertex.means[l] = scale * answer.weights[l][levels[l].part_of[cell]];
    }
  }
  return vertices;
}

// Returns the number of people in each part of each level. Each person draws one level.
std::vector<std::vector<std::uint64_t>> split(std::span<const std::uint64_t> histogram,
                                              const std::vector<Level>& levels, std::mt19937_64& random) {
  std::vector<std::vector<std::uint64_t>> people;
  for (const Level& level : levels) people.emplace_back(level.parts);
  for (std::size_t cell = 0; cell < histogram.size(); ++cell) {
    std::uint64_t left = histogram[cell];
    for (std::size_t l = 0; l < levels.size() && left > 0; ++l) {
      const double share = 1 / static_cast<double>(levels.size() - l);
      const std::uint64_t here = share == 1 ? left : std::binomial_distribution<std::uint64_t>(left, share)(random);
      people[l][levels[l].part_of[cell]] += here;
      left -= here;
    }
  }
  return people;
}

}  // namespace

std::vector<double> LinearMechanism::run(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const {
  const std::vector<std::vector<std::uint64_t>> people = split(histogram, levels, random);
  LevelValues estimates;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const std::uint64_t users = std::accumulate(people[l].begin(), people[l].end(), std::uint64_t{0});
    if (users == 0) return std::vector<double>(histogram.size(), std::nan(""));
    estimates.push_back(
        std::visit([&](const auto& oracle) { return oracle.estimate(oracle.counts(people[l], random), users); },
                   levels[l].oracle));
  }
  return cells(estimates);
}

double LinearMechanism::variance(std::span<const double> function, std::span<const double> parts) const {
  const LevelWeights answer = weights(function);
  const Mixtures mixtures(vertices_of(levels, answer, squares_of(levels, answer)));
  const Vertex moments = mixtures.moments({parts.begin(), parts.end()});
  return moments.squares + mixtures.bend(moments);
}

double LinearMechanism::worst_variance(std::span<const double> function, double ignore) const {
  const LevelWeights answer = weights(function);
  const std::vector<double> squares = squares_of(levels, answer);
  if (*std::max_element(squares.begin(), squares.end()) <= ignore) return 0;
  return largest_variance(vertices_of(levels, answer, squares));
}

LinearMechanism plain(const FrequencyOracle& oracle, std::size_t cells) {
  std::vector<std::uint32_t> each(cells);
  std::iota(each.begin(), each.end(), 0U);
  return {{Level{oracle, cells, std::move(each)}},
          [](const LevelValues& estimates) { return estimates.front(); },
          [](std::span<const double> function) {
            return LevelWeights{0, {{function.begin(), function.end()}}};
          }};
}

LinearMechanism sum_to_one(const FrequencyOracle& oracle, std::size_t cells) {
  LinearMechanism mechanism = plain(oracle, cells);
  mechanism.cells = [](const LevelValues& estimates) {
    std::vector<double> adjusted = estimates.front();
    make_sum_to_one(adjusted);
    return adjusted;
  };
  mechanism.weights = [](std::span<const double> function) {
    const double mean = std::accumulate(function.begin(), function.end(), 0.0) / static_cast<double>(function.size());
    LevelWeights answer{mean, {{function.begin(), function.end()}}};
    for (double& weight : answer.weights.front()) weight -= mean;
    return answer;
  };
  return mechanism;
}

double largest_variance(std::vector<Vertex> vertices) {
  // If several vertices have the same means, only the largest square of these vertices counts.
  std::map<std::vector<double>, double> by_means;
  double scale = 0;
  for (Vertex& vertex : vertices) {
    scale = std::max(scale, vertex.squares);
    double& squares = by_means.try_emplace(std::move(vertex.means), vertex.squares).first->second;
    squares = std::max(squares, vertex.squares);
  }
  vertices.clear();
  for (const auto& [means, squares] : by_means) vertices.push_back({squares, means});
  const planner::Maximum most = planner::largest(Mixtures(std::move(vertices)), 0, kMaxSteps);
  return most.exact ? most.value : scale;
}

}  // namespace hearsay::examples
