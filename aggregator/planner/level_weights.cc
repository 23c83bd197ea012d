#include "aggregator/planner/level_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "aggregator/planner/plan.h"
#include "aggregator/planner/smooth_maximum.h"
#include "common/channel/questions.h"

namespace hearsay::planner {
namespace {

std::uint32_t value_bits(std::uint32_t values) { return static_cast<std::uint32_t>(std::bit_width(values - 1)); }

bool has(std::uint32_t set, std::uint32_t level) { return ((set >> level) & 1U) != 0; }

// Returns how many bits are random in the masks of the set's levels together.
std::uint32_t free_bits(std::uint32_t set, std::uint32_t bits) {
  std::uint32_t sum = 0;
  std::uint32_t above = 0;
  for (std::uint32_t level = bits; level-- > 0;) {
    if (has(set, level)) {
      sum += above;
    } else {
      ++above;
    }
  }
  return sum;
}

// Returns the sets of `width` levels. If the sets have too many questions together, leaves out the sets with the most
// questions.
std::vector<std::uint32_t> sets_of_levels(std::uint32_t bits, std::uint32_t width) {
  std::vector<std::uint32_t> sets;
  for (std::uint32_t set = 0; set >> bits == 0; ++set) {
    if (static_cast<std::uint32_t>(std::popcount(set)) == width) sets.push_back(set);
  }
  std::stable_sort(sets.begin(), sets.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return free_bits(a, bits) < free_bits(b, bits); });
  std::uint64_t questions = 0;
  std::size_t kept = 0;
  for (; kept < sets.size() && kept < Questions::kMaxMembers; ++kept) {
    questions += std::uint64_t{1} << std::min(free_bits(sets[kept], bits), 32U);
    if (questions > Questions::kMaxCount) break;
  }
  sets.resize(kept);
  return sets;
}

LevelQuestions questions_of(const std::vector<std::uint32_t>& sets, const Eigen::VectorXd& weights) {
  constexpr double kScale = 1U << 20U;
  LevelQuestions questions;
  std::vector<std::pair<std::vector<std::uint32_t>, std::uint32_t>> members;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const double weight = std::round(kScale * weights[static_cast<Eigen::Index>(s)]);
    if (weight < 1) continue;
    std::vector<std::uint32_t> levels;
    for (std::uint32_t level = 0; sets[s] >> level != 0; ++level) {
      if (has(sets[s], level)) levels.push_back(level);
    }
    members.emplace_back(std::move(levels), static_cast<std::uint32_t>(weight));
  }
  std::sort(members.begin(), members.end());
  for (auto& [levels, weight] : members) {
    questions.levels.push_back(std::move(levels));
    questions.weights.push_back(weight);
  }
  return questions;
}

// Returns the ranges between any two of the cuts. Leaves out the same ranges as all_ranges(). `cuts` ascend.
std::vector<ValueRange> ranges_between(const std::vector<std::uint32_t>& cuts, std::uint32_t values) {
  const std::uint32_t padded = 1U << value_bits(values);
  std::vector<ValueRange> ranges;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    for (std::size_t j = i + 1; j < cuts.size(); ++j) {
      const ValueRange range{cuts[i], cuts[j] == values ? padded : cuts[j]};
      const bool is_all = range.first == 0 && range.last == padded;
      const bool mirrored = padded == values && range.first + range.last > padded;
      if (!is_all && !mirrored) ranges.push_back(range);
    }
  }
  return ranges;
}

std::vector<std::size_t> largest_of(const Eigen::VectorXd& values, std::size_t count) {
  std::vector<std::size_t> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, order.size());
  const auto above = [&](std::size_t a, std::size_t b) {
    return values[static_cast<Eigen::Index>(a)] > values[static_cast<Eigen::Index>(b)];
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), above);
  order.resize(count);
  return order;
}

// Returns all ranges. For more than kMostValues values, returns only the ranges between the cuts whose prefixes are
// worst.
std::vector<ValueRange> tried_ranges(std::uint32_t values, double gamma, const std::vector<std::uint32_t>& sets,
                                     double epsilon, const Eigen::VectorXd& weights) {
  constexpr std::uint32_t kMostValues = 1024;  // for more values, only some ranges are tried
  constexpr std::uint32_t kTriedBits = 13;
  constexpr std::size_t kMostCuts = 128;
  constexpr std::uint32_t kAlternating = 0x55555555;
  if (values <= kMostValues) return all_ranges(values);
  const std::uint32_t step = 1U << (std::max(kTriedBits, value_bits(values)) - kTriedBits);
  std::vector<ValueRange> prefixes;
  for (std::uint32_t first = 0; first < values; first += step) {
    const std::uint32_t cut = first + (step == 1 ? 0 : kAlternating % step);
    if (cut > 0 && cut < values) prefixes.push_back({0, cut});
  }
  LevelLaw law(values, gamma, sets, epsilon, prefixes);
  std::vector<std::uint32_t> cuts{0, values};
  for (const std::size_t p : largest_of(law.values(weights), kMostCuts)) cuts.push_back(prefixes[p].last);
  std::sort(cuts.begin(), cuts.end());
  return ranges_between(cuts, values);
}

}  // namespace

struct LevelLaw::Found {
  double on = -std::numeric_limits<double>::infinity();
  double off = -std::numeric_limits<double>::infinity();
  std::uint32_t on_value = 0;
  std::uint32_t off_value = 0;
};

LevelLaw::LevelLaw(std::uint32_t values, double gamma, std::vector<std::uint32_t> sets, double epsilon,
                   std::vector<ValueRange> ranges)
    : values_(values),
      bits_(value_bits(values)),
      sets_(std::move(sets)),
      gamma_(gamma),
      epsilon_(epsilon),
      ranges_(std::move(ranges)) {
  covers_ = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(sets_.size()), bits_);
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    Eigen::MatrixXd beside = Eigen::MatrixXd::Zero(bits_, bits_);
    for (std::uint32_t level = 0; level < bits_; ++level) {
      if (!has(sets_[s], level)) continue;
      int above = 0;
      for (std::uint32_t p = level + 1; p < bits_; ++p) {
        if (!has(sets_[s], p)) beside(level, p) = std::ldexp(1.0, above++);
      }
      covers_(static_cast<Eigen::Index>(s), level) = std::ldexp(1.0, -above);
      beside.row(level) *= std::ldexp(1.0, -2 * above);
    }
    besides_.push_back(std::move(beside));
  }
}

void LevelLaw::set_law(const Eigen::VectorXd& weights) {
  lambda_ = covers_.transpose() * weights;
  const Eigen::VectorXd inverse = lambda_.cwiseInverse();
  products_ = inverse.asDiagonal() * (covers_.transpose() * weights.asDiagonal() * covers_) * inverse.asDiagonal();
  mean_square_ = Eigen::MatrixXd::Zero(bits_, bits_);
  for (std::size_t s = 0; s < sets_.size(); ++s) mean_square_ += weights[static_cast<Eigen::Index>(s)] * besides_[s];
  mean_square_ = inverse.cwiseProduct(inverse).asDiagonal() * mean_square_;
}

// Returns the mean of f over the node of 2^level values that holds `value`.
double LevelLaw::mean_in(const ValueRange& range, std::uint32_t value, std::uint32_t level) const {
  const std::uint32_t first = value >> level << level;
  const std::uint32_t last = first + (1U << level);
  const std::uint32_t from = std::max(first, range.first);
  const std::uint32_t to = std::min(last, range.last);
  return to > from ? std::ldexp(static_cast<double>(to - from), -static_cast<int>(level)) : 0;
}

// Returns g_l(value) for every level l.
LevelLaw::PerLevel LevelLaw::parts_at(const ValueRange& range, std::uint32_t value) const {
  PerLevel parts(bits_);
  double below = mean_in(range, value, 0);
  for (std::uint32_t level = 0; level < bits_; ++level) {
    const double above = mean_in(range, value, level + 1);
    parts[level] = below - above;
    below = above;
  }
  return parts;
}

// Returns the mean of g_l² (level_weights.h), for every level l, over the node of 2^height values with the number
// `node`. The mean is 0 unless an end of the range cuts the node. A node that both ends cut counts once.
LevelLaw::PerLevel LevelLaw::squares_in(const ValueRange& range, std::uint32_t node, std::uint32_t height) const {
  PerLevel squares = PerLevel::Zero(bits_);
  const bool has_first = range.first >> height == node;
  const bool has_last = range.last >> height == node;
  if (has_first) squares.head(height) = parts_at(range, range.first).head(height).cwiseAbs2();
  if (has_last) {
    const PerLevel parts = parts_at(range, range.last);
    for (std::uint32_t level = 0; level < height; ++level) {
      const bool counted = has_first && range.first >> (level + 1) == range.last >> (level + 1);
      if (!counted) squares[level] += parts[level] * parts[level];
    }
  }
  for (std::uint32_t level = 0; level < height; ++level) {
    squares[level] = std::ldexp(squares[level], static_cast<int>(level) + 1 - static_cast<int>(height));
  }
  return squares;
}

// Returns at (l, p) the mean of g_l² over the node of 2^p values beside the node that holds `value`.
Eigen::MatrixXd LevelLaw::squares_beside(const ValueRange& range, std::uint32_t value) const {
  Eigen::MatrixXd squares(bits_, bits_);
  for (std::uint32_t p = 0; p < bits_; ++p) squares.col(p) = squares_in(range, (value >> p) ^ 1U, p);
  return squares;
}

// Goes down the nodes that hold the value `cut`, an end of the range. Finds E[t² | x] of the true answer for x = `cut`.
// Also finds this moment for the other values x. All x for which the same bit is the highest that differs from `cut`
// have the same moment, unless `other` is one of these x. `other` is the range's other end, or 2^b if the other end
// cuts no node.
void LevelLaw::search(const ValueRange& range, std::uint32_t cut, std::uint32_t other, Found& found) const {
  const auto keep = [&](std::uint32_t value, double square) {
    if (value >= values_) return;
    const bool inside = range.first <= value && value < range.last;
    double& most = inside ? found.on : found.off;
    if (square <= most) return;
    most = square;
    (inside ? found.on_value : found.off_value) = value;
  };
  const PerLevel parts = parts_at(range, cut);
  const PerLevel others = parts_at(range, std::min(other, (1U << bits_) - 1));
  // From this height on, both ends are in one node.
  const auto joined = static_cast<std::uint32_t>(std::bit_width(cut ^ other));
  // The mean over the sets of the first square in E[t²|x, S] (level_weights.h), from the levels above p alone.
  double square = 0;
  double beside = 0;  // the part of the nodes beside the way down, above the height p
  for (std::uint32_t p = bits_; p-- > 0;) {
    double cross = 0;
    for (std::uint32_t level = p + 1; level < bits_; ++level) cross += products_(level, p) * parts[level];
    double own = 0;
    double others_below = 0;
    for (std::uint32_t level = 0; level < p; ++level) {
      const double scale = std::ldexp(mean_square_(level, p), static_cast<int>(level) + 1 - static_cast<int>(p));
      own += scale * parts[level] * parts[level];
      if (level + 1 < joined) others_below += scale * others[level] * others[level];
    }
    const double last = products_(p, p) * parts[p] * parts[p];
    if (p + 1 != joined) {
      const double here = own + (joined <= p ? others_below : 0);
      keep(((cut >> p) ^ 1U) << p, square - 2 * cross * parts[p] + last + beside + here);
    } else {
      beside += others_below;
    }
    square += 2 * cross * parts[p] + last;
  }
  keep(cut, square + beside);
}

double LevelLaw::worst_of(const ValueRange& range, Worst& worst) const {
  const double mean = std::ldexp(static_cast<double>(range.last - range.first), -static_cast<int>(bits_));
  const double uniform = (1 - gamma_) * squares_in(range, 0, bits_).cwiseQuotient(lambda_).sum();
  Found found;
  const std::uint32_t none = 1U << bits_;
  if (range.first > 0) search(range, range.first, range.last, found);
  if (range.last < none) search(range, range.last, range.first > 0 ? range.first : none, found);
  const double scale = 1 / (gamma_ * gamma_);
  const WorstShare at =
      worst_share(scale * (gamma_ * found.on + uniform), scale * (gamma_ * found.off + uniform), mean);
  worst = {at.share, found.on_value, found.off_value};
  return limit_ratio(at.variance, epsilon_);
}

Eigen::VectorXd LevelLaw::values(const Eigen::VectorXd& weights) {
  set_law(weights);
  worst_.resize(ranges_.size());
  Eigen::VectorXd values(static_cast<Eigen::Index>(ranges_.size()));
  for (std::size_t r = 0; r < ranges_.size(); ++r)
    values[static_cast<Eigen::Index>(r)] = worst_of(ranges_[r], worst_[r]);
  return values;
}

// The code keeps the worst populations fixed, since a change of a population matters only in the second order.
Eigen::VectorXd LevelLaw::gradient(const Eigen::VectorXd& shares) const {
  constexpr double kNegligible = 1e-5;
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(bits_, bits_);
  Eigen::MatrixXd squares = products;
  Eigen::VectorXd uniform = Eigen::VectorXd::Zero(bits_);
  for (std::size_t r = 0; r < ranges_.size(); ++r) {
    const double share = shares[static_cast<Eigen::Index>(r)];
    if (share < kNegligible) continue;
    uniform += share * squares_in(ranges_[r], 0, bits_);
    for (const auto& [value, part] :
         {std::pair(worst_[r].on, share * worst_[r].share), std::pair(worst_[r].off, share * (1 - worst_[r].share))}) {
      if (part <= 0) continue;
      const PerLevel parts = parts_at(ranges_[r], value);
      products += part * parts * parts.transpose();
      squares += part * squares_beside(ranges_[r], value);
    }
  }
  const Eigen::VectorXd inverse = lambda_.cwiseInverse();
  const Eigen::VectorXd squared = inverse.cwiseAbs2();
  const Eigen::VectorXd by_lambda =
      -2 * gamma_ *
          inverse.cwiseProduct((products * products_).diagonal() + squares.cwiseProduct(mean_square_).rowwise().sum()) -
      (1 - gamma_) * uniform.cwiseProduct(squared);
  products = gamma_ * inverse.asDiagonal() * products * inverse.asDiagonal();
  squares = gamma_ * squared.asDiagonal() * squares;
  Eigen::VectorXd slopes(covers_.rows());
  for (Eigen::Index s = 0; s < slopes.size(); ++s) {
    const Eigen::VectorXd covers = covers_.row(s).transpose();
    slopes[s] = covers.dot(products * covers) + squares.cwiseProduct(besides_[static_cast<std::size_t>(s)]).sum() +
                covers.dot(by_lambda);
  }
  return slopes * limit_ratio(1 / (gamma_ * gamma_), epsilon_);
}

std::vector<ValueRange> all_ranges(std::uint32_t values) {
  std::vector<std::uint32_t> cuts(values + 1);
  std::iota(cuts.begin(), cuts.end(), 0U);
  return ranges_between(cuts, values);
}

Result<PlannedLevels> plan_levels(std::uint32_t values, std::uint32_t width, double epsilon,
                                  std::uint32_t answer_bits) {
  const double gamma = truth_of(epsilon, answer_bits);
  constexpr int kSteps = 15;
  constexpr double kHard = 0.85;
  constexpr int kRounds = 5;
  constexpr std::size_t kAddedRanges = 300;
  if (values < 2 || values > LevelLaw::kMostValues || width == 0 || width > value_bits(values)) {
    return Error{ErrorCode::kInvalidArgument,
                 "there are no sets of " + std::to_string(width) + " levels of " + std::to_string(values) + " values"};
  }
  const std::vector<std::uint32_t> sets = sets_of_levels(value_bits(values), width);
  std::uint32_t covered = 0;
  for (const std::uint32_t set : sets) covered |= set;
  if (covered + 1 != 1U << value_bits(values)) {
    return Error{ErrorCode::kLimitExceeded, "too many questions about sets of " + std::to_string(width) + " levels"};
  }
  Eigen::VectorXd weights =
      Eigen::VectorXd::Constant(static_cast<Eigen::Index>(sets.size()), 1.0 / static_cast<double>(sets.size()));
  std::vector<ValueRange> ranges = tried_ranges(values, gamma, sets, epsilon, weights);
  LevelLaw all(values, gamma, sets, epsilon, ranges);
  Eigen::VectorXd ratios = all.values(weights);
  // Keeps the ranges whose ratio for equal weights is near the largest ratio.
  const auto hard = static_cast<std::size_t>((ratios.array() > kHard * ratios.maxCoeff()).count());
  std::vector<ValueRange> kept;
  for (const std::size_t r : largest_of(ratios, hard)) kept.push_back(ranges[r]);
  ranges = std::move(kept);
  all.set_ranges(ranges);
  ratios = all.values(weights);
  LevelLaw hardest(values, gamma, sets, epsilon, {});
  std::vector<ValueRange> working;
  double best = ratios.maxCoeff();
  Eigen::VectorXd next = weights;
  for (int round = 0; round < kRounds && sets.size() > 1; ++round) {
    for (const std::size_t r : largest_of(ratios, kAddedRanges)) working.push_back(ranges[r]);
    hardest.set_ranges(working);
    next = small_maximum(hardest, next, kSteps);
    ratios = all.values(next);
    if (ratios.maxCoeff() >= best) continue;
    best = ratios.maxCoeff();
    weights = next;
  }
  return PlannedLevels{questions_of(sets, weights), best};
}

}  // namespace hearsay::planner
