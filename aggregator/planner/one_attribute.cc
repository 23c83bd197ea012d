// Symbols: g_c = the indicator of the values below c, h_c = its weights and μ_c = its mean. Both are linear in the
// function (compiler::QuestionLaw::solve), so the range [a, b) = g_b - g_a has the weights h_b - h_a.

#include "aggregator/planner/one_attribute.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "aggregator/compiler/question_law.h"
#include "aggregator/planner/answer_moments.h"
#include "aggregator/planner/large_levels.h"
#include "aggregator/planner/level_moments.h"
#include "aggregator/planner/range_scores.h"
#include "common/base/try.h"

namespace hearsay::planner {
namespace {

constexpr std::uint32_t kMaxValues = 1U << 11U;

using ValueWeights = std::vector<double>;

struct Solved {
  double mean;
  ValueWeights weights;
};

ValueWeights indicator_of(std::uint32_t first, std::uint32_t last, std::uint32_t values) {
  ValueWeights g(values, 0.0);
  for (std::uint32_t x = first; x <= last; ++x) g[x] = 1;
  return g;
}

// Returns true if a turn maps the questions onto themselves: the circle has one place for each value. Then ranges of
// one length are alike.
bool turns(const Questions& questions) {
  const auto* circle = std::get_if<CircleQuestions>(&questions.spec());
  return circle != nullptr && circle->places == questions.values();
}

class Maker {
 public:
  Maker(const Attribute& attribute, const Questions& questions)
      : attribute_(attribute), questions_(questions), law_(questions), moments_(questions) {}

  Result<IndicatorClass> make(Indicators which) {
    const std::uint32_t values = questions_.values();
    if (values > kMaxValues && !(turns(questions_) && attribute_.kind() == AttributeKind::kRange)) {
      return Error{ErrorCode::kLimitExceeded,
                   "attribute '" + attribute_.name() +
                       "' has too many values to find the worst query on it: make its values "
                       "coarser, or plan a list of queries"};
    }
    result_.exact = moments_.is_exact();
    if (attribute_.kind() != AttributeKind::kRange) {
      HEARSAY_CHECK_OK(add_values());
    } else if (which == Indicators::kRanges && !turns(questions_)) {
      HEARSAY_CHECK_OK(add_ranges());
    } else if (which == Indicators::kRanges) {
      HEARSAY_CHECK_OK(add_lengths());
    } else {
      HEARSAY_CHECK_OK(add_prefixes());
    }
    if (which == Indicators::kLiterals) add_negations();
    return std::move(result_);
  }

 private:
  Result<Solved> solve(std::uint32_t first, std::uint32_t last) const {
    HEARSAY_TRY(compiler::QuestionLaw::Solution solution, law_.solve(indicator_of(first, last, questions_.values())));
    return Solved{solution.mean, std::move(solution.weights)};
  }

  using Range = std::pair<std::uint32_t, std::uint32_t>;  // the first and the last value

  Result<void> add(const std::vector<Range>& ranges) {
    constexpr std::size_t kAtOnce = 64;
    for (std::size_t at = 0; at < ranges.size(); at += kAtOnce) {
      HEARSAY_CHECK_OK(add_some(std::span(ranges).subspan(at, std::min(kAtOnce, ranges.size() - at))));
    }
    return {};
  }

  Result<void> add_some(std::span<const Range> ranges) {
    std::vector<ValueWeights> weights;
    const std::size_t before = result_.list.size();
    for (const auto& [first, last] : ranges) {
      HEARSAY_TRY(compiler::QuestionLaw::Solution solution, law_.solve(indicator_of(first, last, questions_.values())));
      result_.list.push_back({first, last, false, solution.mean, solution.energy, 0, 0, 0});
      weights.push_back(std::move(solution.weights));
    }
    const std::vector<double> scores = moments_.largest_scores(weights);
    std::vector<ValueWeights> squares;
    if (questions_.width() > 1) squares = moments_.squares_at_values(weights);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      Indicator& one = result_.list[before + i];
      one.score = scores[i];
      if (questions_.width() == 1) {
        one.inside = one.outside = one.energy;  // the scores of the two answers are opposite
        continue;
      }
      for (std::uint32_t x = 0; x < questions_.values(); ++x) {
        double& largest = one.first <= x && x <= one.last ? one.inside : one.outside;
        largest = std::max(largest, squares[i][x]);
      }
    }
    return {};
  }

  // Adds one range of each length. On a circle with one place for each value, the complement of a range is a range,
  // too.
  Result<void> add_lengths() {
    const std::uint32_t values = questions_.values();
    HEARSAY_TRY(const Solved first, solve(0, 0));
    RangeScores scores(values, questions_.width());
    scores.set_weights(first.weights);
    // The energy h'·M·h is Σ of h(x) over the range of length L, with h(x) = C(x) - C(x - L) (range_scores.h).
    double energy = 0;
    for (std::uint32_t length = 1; length <= values / 2; ++length) {
      energy += scores.sums()[length - 1] - scores.sums()[values - length];
      result_.list.push_back({0, length - 1, false, length * first.mean, energy, energy, energy, 0});
    }
    const auto& circle = std::get<CircleQuestions>(questions_.spec());
    double score = 0;
    for (const std::uint32_t multiplier : circle.multipliers) {
      for (const RangeScores::Arcs& arcs : scores.arcs()) {
        scores.ask(multiplier, arcs);
        score = std::max(score, scores.largest());
      }
    }
    for (Indicator& one : result_.list) one.score = score;
    if (questions_.width() > 1) find_moments(circle, scores);
    for (std::uint32_t length = 1; 2 * length < values; ++length) {
      Indicator rest = result_.list[length - 1];
      rest.first = length;
      rest.last = values - 1;
      rest.mean = 1 - rest.mean;
      std::swap(rest.inside, rest.outside);
      result_.list.push_back(rest);
    }
    return {};
  }

  void find_moments(const CircleQuestions& circle, RangeScores& scores) {
    constexpr std::size_t kAtOnce = 64;
    const std::uint32_t values = questions_.values();
    for (std::size_t first = 0; first < result_.list.size(); first += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, result_.list.size() - first);
      std::vector<std::uint32_t> lengths(count);
      std::iota(lengths.begin(), lengths.end(), static_cast<std::uint32_t>(first) + 1);
      std::vector<RangeScores::Lanes> moments((count + RangeScores::kLanes - 1) / RangeScores::kLanes,
                                              RangeScores::Lanes::Zero(RangeScores::kLanes, values));
      for (std::size_t m = 0; m < circle.multipliers.size(); ++m) {
        const double chance = circle.weights[m] / static_cast<double>(questions_.total_weight()) / values;
        for (const RangeScores::Arcs& arcs : scores.arcs()) {
          scores.ask(circle.multipliers[m], arcs);
          scores.add_moments(lengths, chance * arcs.count, moments);
        }
      }
      for (std::size_t i = 0; i < count; ++i) {
        const auto row = moments[i / RangeScores::kLanes].row(static_cast<Eigen::Index>(i % RangeScores::kLanes));
        result_.list[first + i].inside = row.head(lengths[i]).maxCoeff();
        result_.list[first + i].outside = row.tail(values - lengths[i]).maxCoeff();
      }
    }
  }

  Result<void> add_prefixes() {
    std::vector<Range> ranges;
    for (std::uint32_t end = 1; end < questions_.values(); ++end) ranges.emplace_back(0, end - 1);
    return add(ranges);
  }

  Result<void> add_values() {
    const std::uint32_t values = questions_.values();
    // Parities treat all values alike, since exclusive ors map each value to each other value. Hashes treat all values
    // alike, since turns map each value to each other value.
    const bool is_circle = std::holds_alternative<CircleQuestions>(questions_.spec());
    const std::uint32_t places = questions_.places() != 0 ? questions_.places() : 1U << questions_.value_bits();
    const bool alike = values == places && !is_circle;
    const std::uint32_t first = values == 2 ? 1 : 0;
    std::vector<Range> ranges;
    for (std::uint32_t v = first; v < (alike ? first + 1 : values); ++v) ranges.emplace_back(v, v);
    return add(ranges);
  }

  void add_negations() {
    const std::size_t count = result_.list.size();
    for (std::size_t i = 0; i < count; ++i) {
      Indicator other = result_.list[i];
      other.negated = true;
      other.mean = 1 - other.mean;
      std::swap(other.inside, other.outside);
      result_.list.push_back(other);
    }
  }

  Result<void> add_ranges() {
    const std::uint32_t values = questions_.values();
    prefixes_ = {{0, ValueWeights(values, 0.0)}};
    for (std::uint32_t cut = 1; cut < values; ++cut) {
      HEARSAY_TRY(Solved prefix, solve(0, cut - 1));
      prefixes_.push_back(std::move(prefix));
    }
    prefixes_.push_back({1, ValueWeights(values, 0.0)});
    std::vector<ValueWeights> weights;
    for (const Solved& prefix : prefixes_) weights.push_back(prefix.weights);
    scores_ = moments_.largest_scores(weights);
    if (bounds_moments()) {
      result_.exact = false;
      of_prefix_ = moments_.squares_at_values(weights);
    }
    // energies_[a][b] = h_a'·M·h_b = Σ of h_a(x)·(g_b(x) - μ_b), with Σ h_a(x)·g_b(x) = Σ of h_a below b. Symbols: top
    // of file.
    for (const Solved& prefix : prefixes_) {
      ValueWeights row{0};
      for (const double weight : prefix.weights) row.push_back(row.back() + weight);
      const double all = row.back();
      for (std::uint32_t b = 0; b <= values; ++b) row[b] -= prefixes_[b].mean * all;
      energies_.push_back(std::move(row));
    }
    if (std::holds_alternative<LevelQuestions>(questions_.spec()) && questions_.width() > 1)
      levels_.emplace(questions_);
    const bool mirrored = levels_ && values == 1U << questions_.value_bits();
    for (std::uint32_t first = 0; first < values; ++first) {
      for (std::uint32_t end = first + 1; end <= values; ++end) {
        // If every bit pattern is a value, the tree of levels is its own mirror image.
        const bool is_image = mirrored && first > values - end;
        if (end - first < values && !is_image) add_range(first, end);
      }
    }
    return {};
  }

  // Returns true if computing the second moments of all ranges would take too long.
  bool bounds_moments() const {
    constexpr double kMostWork = 0x1p31;
    if (questions_.width() == 1 || std::holds_alternative<LevelQuestions>(questions_.spec())) return false;
    const double values = questions_.values();
    const auto* circle = std::get_if<CircleQuestions>(&questions_.spec());
    double one = values * questions_.count();
    if (circle != nullptr) one = 4.0 * circle->places * static_cast<double>(circle->multipliers.size());
    if (std::holds_alternative<HashQuestions>(questions_.spec())) one = 4.0 * questions_.count();
    return values * values / 2 * one > kMostWork;
  }

  void add_range(std::uint32_t first, std::uint32_t end) {
    const double energy = std::max(0.0, energies_[first][first] - 2 * energies_[first][end] + energies_[end][end]);
    Indicator one{first,  end - 1, false,  prefixes_[end].mean - prefixes_[first].mean,
                  energy, energy,  energy, scores_[first] + scores_[end]};
    if (questions_.width() > 1) {
      one.inside = one.outside = 0;
      const auto take = [&](std::uint32_t x, double moment) {
        double& largest = first <= x && x < end ? one.inside : one.outside;
        largest = std::max(largest, moment);
      };
      if (levels_) {
        moments_of_levels(first, end, take);
      } else if (of_prefix_.empty()) {
        const ValueWeights h = difference(first, end);
        const ValueWeights at = moments_.at_values(h, h);
        for (std::uint32_t x = 0; x < at.size(); ++x) take(x, at[x]);
      } else {
        // For scores t and t', √(E (t - t')²) <= √(E t²) + √(E t'²) by the triangle inequality.
        for (std::uint32_t x = 0; x < questions_.values(); ++x) {
          take(x, std::pow(std::sqrt(of_prefix_[first][x]) + std::sqrt(of_prefix_[end][x]), 2));
        }
      }
    }
    result_.list.push_back(one);
  }

  ValueWeights difference(std::uint32_t first, std::uint32_t end) const {
    ValueWeights h = prefixes_[end].weights;
    for (std::size_t x = 0; x < h.size(); ++x) h[x] -= prefixes_[first].weights[x];
    return h;
  }

  // Values of a node that no cut divides are alike to all questions, so these values have the same weight.
  template <class Take>
  void moments_of_levels(std::uint32_t first, std::uint32_t end, Take&& take) const {
    std::vector<std::uint32_t> cuts;
    if (first > 0) cuts.push_back(first);
    if (end < questions_.values()) cuts.push_back(end);
    const LevelMoments::Weight weight = [&](std::uint32_t x) {
      return prefixes_[end].weights[x] - prefixes_[first].weights[x];
    };
    levels_->visit(weight, weight, cuts, [&](std::uint32_t from, std::uint32_t, double moment) { take(from, moment); });
  }

  const Attribute& attribute_;
  const Questions& questions_;
  compiler::QuestionLaw law_;
  AnswerMoments moments_;
  IndicatorClass result_{{}, true};
  std::vector<Solved> prefixes_;  // by cut
  std::vector<ValueWeights> energies_;
  std::vector<double> scores_;
  std::optional<LevelMoments> levels_;
  // The second moments of prefixes; empty unless bounds_moments().
  std::vector<ValueWeights> of_prefix_;
};

}  // namespace

Result<IndicatorClass> indicators(const Attribute& attribute, const Questions& questions, Indicators which,
                                  bool alone) {
  if (alone && questions.values() > kMaxValues && attribute.kind() == AttributeKind::kRange) {
    const std::optional<Indicator> dearest = dearest_by_levels(questions, which);
    if (dearest) return IndicatorClass{{*dearest}, false};
  }
  return Maker(attribute, questions).make(which);
}

}  // namespace hearsay::planner
