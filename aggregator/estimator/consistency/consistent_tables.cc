// Symbols: w = 1/variance; m = the variables; p = the cells; B and c = the affine map from variables to cells, p = Bm +
// c; u = the scaled multipliers of the constraint p = Bm + c; ρ = the penalty of the method. The cells of a table of K
// cells are multiplied by √K. Then BᵀB is diagonal: each entry is the number of tables that a variable is in.

#include "aggregator/estimator/consistency/consistent_tables.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "aggregator/compiler/bit_cube.h"

namespace hearsay::estimator {
namespace {

using compiler::walsh_hadamard;

constexpr double kRelaxation = 1.6;
constexpr std::size_t kCheckEvery = 25;
constexpr std::size_t kMaxUpdates = std::size_t{1} << 31U;
constexpr std::size_t kMaxIterations = 50'000;
constexpr double kTolerance = 1e-10;
// The code raises smaller variances to kLeastVariance times the largest variance. A variable with so small a variance
// hardly moves in either case.
constexpr double kLeastVariance = 1e-9;

std::vector<bool> padding_of(const TableShape& table) {
  std::vector<bool> padding(table.variable.size(), false);
  std::uint32_t offset = 0;
  for (const auto& [bits, values] : table.axes) {
    for (std::size_t k = 0; k < padding.size(); ++k) {
      if ((k >> offset & ((std::size_t{1} << bits) - 1)) >= values) padding[k] = true;
    }
    offset += bits;
  }
  return padding;
}

// Empties the padding: for one attribute after the other, spreads the padding's mass evenly over the cells that stand
// for values. Tables that agreed before agree afterwards, since the rule is the same in every table.
void empty_padding(const TableShape& table, std::vector<double>& cells) {
  std::size_t stride = 1;
  for (const auto& [bits, values] : table.axes) {
    const std::size_t patterns = std::size_t{1} << bits;
    for (std::size_t begin = 0; begin < cells.size() && values < patterns; ++begin) {
      if (begin / stride % patterns != 0) continue;  // `begin` must have pattern 0 on this axis
      double mass = 0;
      for (std::size_t k = values; k < patterns; ++k) mass += std::exchange(cells[begin + k * stride], 0);
      for (std::size_t k = 0; k < values; ++k) cells[begin + k * stride] += mass / values;
    }
    stride *= patterns;
  }
}

double uniform_cell(const TableShape& table) {
  double cell = 1;
  for (const auto& axis : table.axes) cell /= axis.values;
  return cell;
}

class Solver {
 public:
  explicit Solver(const TableProblem& problem) : problem_(problem), value_(problem.estimate) {
    const double largest = *std::max_element(problem.variance.begin(), problem.variance.end());
    for (const double variance : problem.variance) weight_.push_back(1 / std::max(variance, kLeastVariance * largest));
    count_.assign(value_.size(), 0);
    for (const TableShape& table : problem.tables) {
      cells_ += table.variable.size();
      padding_.push_back(padding_of(table));
      for (std::size_t i = 1; i < table.variable.size(); ++i) ++count_[table.variable[i]];
      p_.push_back(cells_of(table, value_));
      u_.emplace_back(table.variable.size(), 0);
    }
    double logarithms = 0;
    for (std::size_t j = 0; j < value_.size(); ++j) logarithms += std::log(weight_[j] / count_[j]);
    penalty_ = std::exp(logarithms / static_cast<double>(value_.size()));
  }

  Result<ConsistentPoint> solve(const std::stop_token& stop) {
    if (is_consistent()) return ConsistentPoint{value_, 0, 0};
    for (std::size_t t = 0; t < p_.size(); ++t) project(t);
    const std::size_t most = std::min(kMaxIterations, kMaxUpdates / cells_);
    for (std::size_t iteration = 1; iteration <= most; ++iteration) {
      if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "the projection was stopped"};
      step();
      if (iteration % kCheckEvery != 0) continue;
      const ConsistentPoint point = repaired();
      if (point.error <= kTolerance * (1 + point.distance)) return point;
      balance();
    }
    return Error{ErrorCode::kLimitExceeded,
                 "the projection to consistent tables has not converged; ask for fewer queries at a time"};
  }

 private:
  bool is_consistent() const {
    constexpr double kRounding = 1e-12;
    for (std::size_t t = 0; t < p_.size(); ++t) {
      for (std::size_t k = 0; k < p_[t].size(); ++k) {
        if (p_[t][k] < (padding_[t][k] ? -kRounding : 0) || (padding_[t][k] && p_[t][k] > kRounding)) return false;
      }
    }
    return true;
  }

  void project(std::size_t t) {
    for (std::size_t k = 0; k < p_[t].size(); ++k) p_[t][k] = padding_[t][k] ? 0 : std::max(0.0, p_[t][k]);
  }

  // Returns Bᵀ·cells, where the cells of each table are first multiplied by factor(K).
  template <typename Cells, typename Factor>
  std::vector<double> transposed(const Cells& cells, const Factor& factor) const {
    std::vector<double> sum(value_.size(), 0);
    std::vector<double> x;
    for (std::size_t t = 0; t < p_.size(); ++t) {
      const auto& variable = problem_.tables[t].variable;
      x = cells(t);
      walsh_hadamard(x);
      const auto size = static_cast<double>(variable.size());
      for (std::size_t i = 1; i < variable.size(); ++i) sum[variable[i]] += factor(size) / size * x[i];
    }
    return sum;
  }

  void step() {
    const auto wanted = [&](std::size_t t) {
      std::vector<double> x(p_[t]);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] -= u_[t][k];
      return x;
    };
    const std::vector<double> pull = transposed(wanted, [](double size) { return size; });
    for (std::size_t j = 0; j < value_.size(); ++j) {
      value_[j] = (weight_[j] * problem_.estimate[j] + penalty_ * pull[j]) / (weight_[j] + penalty_ * count_[j]);
    }
    primal_ = 0;
    dual_ = 0;
    for (std::size_t t = 0; t < p_.size(); ++t) {
      const std::vector<double> at = cells_of(problem_.tables[t], value_);
      const auto size = static_cast<double>(at.size());
      for (std::size_t k = 0; k < at.size(); ++k) {
        const double before = p_[t][k];
        const double relaxed = kRelaxation * at[k] + (1 - kRelaxation) * before + u_[t][k];
        p_[t][k] = padding_[t][k] ? 0 : std::max(0.0, relaxed);
        u_[t][k] = relaxed - p_[t][k];
        primal_ += size * (at[k] - p_[t][k]) * (at[k] - p_[t][k]);
        dual_ += size * (p_[t][k] - before) * (p_[t][k] - before);
      }
    }
  }

  // Adapts ρ, so that the primal and the dual residual stay about equal. u is in units of 1/ρ, so the function also
  // rescales u.
  void balance() {
    if (!(primal_ > 0 && dual_ > 0)) return;
    const double factor = std::clamp(std::sqrt(std::sqrt(primal_ / dual_)), 0.2, 5.0);
    if (factor > 0.7 && factor < 1.4) return;
    penalty_ *= factor;
    for (auto& table : u_) {
      for (double& multiplier : table) multiplier /= factor;
    }
  }

  // Returns a consistent point near the current point: empties the padding, and mixes the point with the uniform
  // distribution until no cell is negative. Bounds the error of the result by the duality gap for the multipliers λ =
  // -ρ·K·u. With r = m - estimate - w⁻¹Bᵀλ the gap is ½Σw·r² + Σλp. The gap bounds the error because the objective
  // ½Σw(m - estimate)² is strongly convex.
  ConsistentPoint repaired() const {
    std::vector<std::vector<double>> cells;
    double mix = 0;
    for (const TableShape& table : problem_.tables) {
      cells.push_back(cells_of(table, value_));
      empty_padding(table, cells.back());
      const double uniform = uniform_cell(table);
      for (const double cell : cells.back()) {
        if (cell < 0) mix = std::max(mix, -cell / (uniform - cell));
      }
    }
    double slack = 0;  // Σλp
    ConsistentPoint point{value_, 0, 0};
    for (std::size_t t = 0; t < cells.size(); ++t) {
      const TableShape& table = problem_.tables[t];
      const double uniform = uniform_cell(table);
      for (std::size_t k = 0; k < cells[t].size(); ++k) {
        if (padding_[t][k]) continue;
        cells[t][k] = std::max(0.0, (1 - mix) * cells[t][k] + mix * uniform);
        slack -= penalty_ * static_cast<double>(cells[t].size()) * u_[t][k] * cells[t][k];
      }
      walsh_hadamard(cells[t]);
      for (std::size_t i = 1; i < table.variable.size(); ++i) point.value[table.variable[i]] = cells[t][i];
    }
    const auto multipliers = [&](std::size_t t) { return u_[t]; };
    const std::vector<double> pushed = transposed(multipliers, [](double size) { return size; });
    double stationarity = 0;
    for (std::size_t j = 0; j < value_.size(); ++j) {
      const double moved = point.value[j] - problem_.estimate[j];
      const double residual = moved + penalty_ * pushed[j] / weight_[j];
      point.distance += weight_[j] * moved * moved;
      stationarity += weight_[j] * residual * residual;
    }
    point.error = stationarity + 2 * slack;
    return point;
  }

  const TableProblem& problem_;
  std::vector<double> value_;
  std::vector<double> weight_;
  std::vector<double> count_;
  std::vector<std::vector<bool>> padding_;
  std::vector<std::vector<double>> p_;
  std::vector<std::vector<double>> u_;
  std::size_t cells_ = 0;
  double penalty_ = 1;
  double primal_ = 0;
  double dual_ = 0;
};

}  // namespace

std::vector<double> cells_of(const TableShape& table, const std::vector<double>& variables) {
  std::vector<double> x(table.variable.size());
  x[0] = 1;
  for (std::size_t i = 1; i < x.size(); ++i) x[i] = variables[table.variable[i]];
  walsh_hadamard(x);
  for (double& cell : x) cell /= static_cast<double>(x.size());
  return x;
}

Result<ConsistentPoint> nearest_consistent(const TableProblem& problem, const std::stop_token& stop) {
  std::size_t cells = 0;
  for (const TableShape& table : problem.tables) cells += table.variable.size();
  if (cells > kMaxTableCells) {
    return Error{ErrorCode::kLimitExceeded, "the queries' tables have " + std::to_string(cells) +
                                                " cells together, too many to make consistent (at most 2^18)"};
  }
  if (problem.tables.empty()) return ConsistentPoint{problem.estimate, 0, 0};
  return Solver(problem).solve(stop);
}

}  // namespace hearsay::estimator
