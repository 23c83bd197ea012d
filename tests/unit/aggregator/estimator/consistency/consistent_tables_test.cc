#include "aggregator/estimator/consistency/consistent_tables.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "tests/support/bit_sources.h"

namespace hearsay::estimator {
namespace {

using tests::CounterBitSource;

class Layout {
 public:
  explicit Layout(std::vector<std::uint32_t> values) : values_(std::move(values)) {}

  void add_table(const std::vector<std::uint32_t>& attributes) {
    TableShape table;
    std::uint32_t bits = 0;
    for (const std::uint32_t attribute : attributes) {
      table.axes.push_back({static_cast<std::uint32_t>(std::bit_width(values_[attribute] - 1)), values_[attribute]});
      bits += table.axes.back().bits;
    }
    table.variable.assign(std::size_t{1} << bits, 0);
    for (std::uint32_t i = 1; i < table.variable.size(); ++i) {
      std::map<std::uint32_t, std::uint32_t> masks;
      std::uint32_t offset = 0;
      for (std::size_t axis = 0; axis < attributes.size(); ++axis) {
        const std::uint32_t mask = i >> offset & ((1U << table.axes[axis].bits) - 1);
        if (mask != 0) masks[attributes[axis]] = mask;
        offset += table.axes[axis].bits;
      }
      table.variable[i] = numbers_.emplace(masks, static_cast<std::uint32_t>(numbers_.size())).first->second;
    }
    problem.tables.push_back(std::move(table));
    sets.push_back(attributes);
  }

  std::vector<double> point(const std::vector<std::uint32_t>& record) const {
    std::vector<double> m(numbers_.size());
    for (const auto& [masks, number] : numbers_) {
      int ones = 0;
      for (const auto& [attribute, mask] : masks) ones += std::popcount(mask & record[attribute]);
      m[number] = ones % 2 == 0 ? 1 : -1;
    }
    return m;
  }

  std::vector<std::uint32_t> random_record(CounterBitSource& bits) const {
    std::vector<std::uint32_t> record;
    for (const std::uint32_t size : values_) record.push_back(static_cast<std::uint32_t>(bits.bits(16)) % size);
    return record;
  }

  // Returns the means of a few random records with random weights, so that the tables have many empty cells.
  std::vector<double> truth(CounterBitSource& bits) const {
    std::vector<double> m(numbers_.size(), 0);
    double total = 0;
    for (int i = 0; i < 6; ++i) {
      const double weight = 1 + static_cast<double>(bits.bits(8));
      const std::vector<double> at = point(random_record(bits));
      for (std::size_t j = 0; j < m.size(); ++j) m[j] += weight * at[j];
      total += weight;
    }
    for (double& mean : m) mean /= total;
    return m;
  }

  std::vector<double> marginal(std::size_t t, std::uint32_t attribute, const std::vector<double>& m) const {
    const TableShape& table = problem.tables[t];
    std::vector<double> result(values_[attribute], 0);
    std::uint32_t offset = 0;
    for (std::size_t axis = 0; sets[t][axis] != attribute; ++axis) offset += table.axes[axis].bits;
    const auto cells = cells_of(table, m);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::size_t value = k >> offset & (std::bit_ceil(std::size_t{values_[attribute]}) - 1);
      if (value < result.size()) result[value] += cells[k];
    }
    return result;
  }

  bool is_padding(std::size_t t, std::size_t k) const {
    for (const auto& [bits, values] : problem.tables[t].axes) {
      if ((k & ((1U << bits) - 1)) >= values) return true;
      k >>= bits;
    }
    return false;
  }

  TableProblem problem;
  std::vector<std::vector<std::uint32_t>> sets;

 private:
  std::vector<std::uint32_t> values_;
  std::map<std::map<std::uint32_t, std::uint32_t>, std::uint32_t> numbers_;
};

double noise(CounterBitSource& bits) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(bits.bits(16)) / 65536;
  return sum - 6;
}

double squared_distance(const TableProblem& problem, const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]) / problem.variance[j];
  return sum;
}

// At the optimum the gradient w(m - estimate) equals Bᵀλ, where B gives the cells of the means m. λ >= 0 on empty
// cells, λ is free on padding, and λ = 0 elsewhere. Finds the best λ by coordinate descent. Returns the norm of the
// remaining gradient (with the weights 1/w), relative to that of the gradient.
double kkt_residual(const Layout& layout, const std::vector<double>& m) {
  const TableProblem& problem = layout.problem;
  std::vector<double> left(m.size());
  double norm = 0;
  for (std::size_t j = 0; j < m.size(); ++j) {
    left[j] = (m[j] - problem.estimate[j]) / problem.variance[j];
    norm += left[j] * left[j] * problem.variance[j];
  }
  struct Multiplier {
    std::size_t table, cell;
    bool free;
    double value;
  };
  std::vector<Multiplier> multipliers;
  for (std::size_t t = 0; t < problem.tables.size(); ++t) {
    const auto cells = cells_of(problem.tables[t], m);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (cells[k] < 1e-7) multipliers.push_back({t, k, layout.is_padding(t, k), 0});
    }
  }
  for (int sweep = 0; sweep < 3000; ++sweep) {
    for (Multiplier& own : multipliers) {
      const auto& variable = problem.tables[own.table].variable;
      double slope = 0;
      double curvature = 0;
      for (std::size_t i = 1; i < variable.size(); ++i) {
        const double sign = (std::popcount(i & own.cell) % 2 == 0 ? 1.0 : -1.0) / static_cast<double>(variable.size());
        slope += sign * left[variable[i]] * problem.variance[variable[i]];
        curvature += sign * sign * problem.variance[variable[i]];
      }
      double next = own.value + slope / curvature;
      if (!own.free) next = std::max(0.0, next);
      for (std::size_t i = 1; i < variable.size(); ++i) {
        const double sign = (std::popcount(i & own.cell) % 2 == 0 ? 1.0 : -1.0) / static_cast<double>(variable.size());
        left[variable[i]] -= sign * (next - own.value);
      }
      own.value = next;
    }
  }
  double rest = 0;
  for (std::size_t j = 0; j < m.size(); ++j) rest += left[j] * left[j] * problem.variance[j];
  return std::sqrt(rest / norm);
}

void check_consistent(const Layout& layout, const std::vector<double>& m) {
  for (std::size_t t = 0; t < layout.problem.tables.size(); ++t) {
    const auto cells = cells_of(layout.problem.tables[t], m);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      CHECK(cells[k] > -1e-12);
      if (layout.is_padding(t, k)) CHECK(cells[k] < 1e-12);
    }
    CHECK(std::abs(std::accumulate(cells.begin(), cells.end(), 0.0) - 1) < 1e-12);
    for (std::size_t other = 0; other < t; ++other) {
      for (const std::uint32_t attribute : layout.sets[t]) {
        if (std::count(layout.sets[other].begin(), layout.sets[other].end(), attribute) == 0) continue;
        const auto here = layout.marginal(t, attribute, m);
        const auto there = layout.marginal(other, attribute, m);
        for (std::size_t v = 0; v < here.size(); ++v) CHECK(std::abs(here[v] - there[v]) < 1e-9);
      }
    }
  }
}

// The largest noise puts estimates far outside [-1, 1].
TEST_CASE("the result is consistent, optimal, and not farther from the truth than the estimate") {
  CounterBitSource bits("consistent tables");
  for (int round = 0; round < 60; ++round) {
    Layout layout({2, 3, 5, 2, 4});
    if (round % 3 == 0) {
      layout.add_table({0, 3});
      layout.add_table({3, 4});
      layout.add_table({0, 4});
    } else if (round % 3 == 1) {
      layout.add_table({1, 2});
      layout.add_table({2, 3});
    } else {
      layout.add_table({0, 1, 3});
      layout.add_table({1, 4});
      layout.add_table({0, 2});
      layout.add_table({2, 4});
    }
    const std::vector<double> truth = layout.truth(bits);
    const double size = std::pow(10.0, static_cast<double>(bits.bits(10)) / 256 - 2);
    for (const double mean : truth) {
      layout.problem.variance.push_back(size * size * (0.2 + static_cast<double>(bits.bits(8)) / 64));
      layout.problem.estimate.push_back(mean + std::sqrt(layout.problem.variance.back()) * noise(bits));
    }
    const auto result = nearest_consistent(layout.problem);
    CAPTURE(size);
    REQUIRE(result);
    check_consistent(layout, result->value);
    CHECK(result->distance == doctest::Approx(squared_distance(layout.problem, result->value, layout.problem.estimate))
                                  .scale(0)
                                  .epsilon(1e-9));
    CHECK(result->error <= 1e-10 * (1 + result->distance));
    CHECK(kkt_residual(layout, result->value) < 1e-3);
    CHECK(squared_distance(layout.problem, result->value, truth) <=
          squared_distance(layout.problem, layout.problem.estimate, truth));
  }
}

// With one table and equal variances the result is the Euclidean projection of the cells p̂_k on the simplex: p_k =
// max(0, p̂_k - τ) with a constant τ.
TEST_CASE("a single table is projected on the simplex") {
  CounterBitSource bits("simplex");
  for (int round = 0; round < 20; ++round) {
    Layout layout({2, 2, 2});
    layout.add_table({0, 1, 2});
    for (int j = 0; j < 7; ++j) {
      layout.problem.estimate.push_back(noise(bits));
      layout.problem.variance.push_back(2);
    }
    const auto before = cells_of(layout.problem.tables[0], layout.problem.estimate);
    double low = -10;
    double high = 10;
    for (int i = 0; i < 200; ++i) {
      const double middle = (low + high) / 2;
      double sum = 0;
      for (const double cell : before) sum += std::max(0.0, cell - middle);
      (sum > 1 ? low : high) = middle;
    }
    const auto result = nearest_consistent(layout.problem);
    REQUIRE(result);
    const auto after = cells_of(layout.problem.tables[0], result->value);
    for (std::size_t k = 0; k < after.size(); ++k) CHECK(std::abs(after[k] - std::max(0.0, before[k] - low)) < 1e-4);
  }
}

TEST_CASE("tables that are consistent already are returned unchanged") {
  CounterBitSource bits("unchanged");
  Layout layout({2, 3, 2});
  layout.add_table({0, 1});
  layout.add_table({1, 2});
  layout.problem.estimate = layout.truth(bits);
  layout.problem.variance.assign(layout.problem.estimate.size(), 1);
  const auto result = nearest_consistent(layout.problem);
  REQUIRE(result);
  CHECK(result->distance < 1e-20);
  for (std::size_t j = 0; j < result->value.size(); ++j) {
    CHECK(std::abs(result->value[j] - layout.problem.estimate[j]) < 1e-12);
  }
  Layout booleans({2, 2});
  booleans.add_table({0, 1});
  booleans.problem.estimate = {0.5, -0.25, -0.125};
  booleans.problem.variance = {1, 1, 1};
  CHECK(nearest_consistent(booleans.problem)->value == booleans.problem.estimate);
}

TEST_CASE("the result is consistent even with variances of very different sizes or near 0") {
  Layout layout({3, 2, 2});
  layout.add_table({0, 1});
  layout.add_table({1, 2});
  CounterBitSource bits("variances");
  for (const double mean : layout.truth(bits)) {
    layout.problem.variance.push_back(std::pow(10.0, -static_cast<double>(bits.bits(3))));
    layout.problem.estimate.push_back(mean + noise(bits) * std::sqrt(layout.problem.variance.back()));
  }
  layout.problem.variance[1] = 0;
  const auto result = nearest_consistent(layout.problem);
  REQUIRE(result);
  check_consistent(layout, result->value);
}

TEST_CASE("tables with more cells than the limit are refused") {
  TableProblem problem;
  TableShape table;
  table.variable.assign(kMaxTableCells, 0);
  std::iota(table.variable.begin(), table.variable.end(), 0U);
  table.axes = {{18, 1U << 18U}};
  problem.tables = {table, table};
  const auto result = nearest_consistent(problem);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace hearsay::estimator
