#include "aggregator/planner/answer_moments.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <variant>

#include "aggregator/compiler/bit_cube.h"
#include "aggregator/planner/level_moments.h"

namespace hearsay::planner {
namespace {

using Weights = std::span<const double>;

constexpr std::uint64_t kMaxTried = std::uint64_t{1} << 28U;  // the limit on questions times values

double sum_of(Weights h) { return std::accumulate(h.begin(), h.end(), 0.0); }

// Holds one number for each of several functions, in a lane of its own.
constexpr std::size_t kLanes = 8;
using Lanes = Eigen::Array<double, kLanes, 1>;

void raise_to_size(double& largest, double number) { largest = std::max(largest, std::abs(number)); }
void raise_to_size(Lanes& largest, const Lanes& numbers) { largest = largest.max(numbers.abs()); }

// Computes the scores of the answers to the questions of one multiplier: K·(sum of h over a window of places) - Σ h,
// where K is the number of answers. `Number` is double or Lanes.
template <class Number>
class Windows {
 public:
  using Numbers = std::vector<Number>;

  Windows(std::uint32_t places, std::uint32_t answers) : places_(places), answers_(answers) {
    for (std::uint32_t k = 0; k < answers; ++k) {
      const auto border = [&](std::uint64_t arc) { return (arc * places + answers - 1) / answers; };
      ++lengths_[static_cast<std::uint32_t>(border(k + 1) - border(k))];
    }
  }

  const std::map<std::uint32_t, std::uint32_t>& lengths() const { return lengths_; }

  // Puts each value's weight at the value's place on the circle.
  void place(std::span<const Number> h, std::uint32_t multiplier) {
    at_.assign(places_, Number(0.0));
    all_ = Number(0.0);
    std::size_t place = 0;
    for (const Number& weight : h) {
      at_[place] += weight;
      all_ += weight;
      place = next(place, multiplier);
    }
    sum_up(at_, up_to_);
  }

  // Computes, for each place, the score of the window of `length` places that ends at the place.
  void scores(std::uint32_t length, Numbers& scores) const {
    sums_of_windows(up_to_, length, scores);
    for (Number& score : scores) score = answers_ * score - all_;
  }

  // `of_windows` has a number for each window, at the place where the window ends. Computes, for each place, the sum
  // over the windows of length `length` that hold the place.
  void sums_over_holding(const Numbers& of_windows, std::uint32_t length, Numbers& sums) {
    sum_up(of_windows, up_to_ends_);
    sums_of_windows(up_to_ends_, length, ends_);
    // The windows that hold the place p end at p, p + 1, …, p + length - 1.
    sums.resize(places_);
    for (std::uint32_t place = 0; place < places_; ++place) {
      const std::uint32_t last = place + length - 1;
      sums[place] = ends_[last < places_ ? last : last - places_];
    }
  }

  std::size_t next(std::size_t place, std::uint32_t multiplier) const {
    return place + multiplier < places_ ? place + multiplier : place + multiplier - places_;
  }

 private:
  void sum_up(const Numbers& list, Numbers& up_to) const {
    up_to.resize(places_ + 1);
    up_to[0] = Number(0.0);
    for (std::uint32_t at = 0; at < places_; ++at) up_to[at + 1] = up_to[at] + list[at];
  }

  // Computes, for each place, the sum over the window of `length` places that ends at the place.
  void sums_of_windows(const Numbers& up_to, std::uint32_t length, Numbers& sums) const {
    sums.resize(places_);
    const Number all = up_to[places_];
    for (std::uint32_t at = 0; at + 1 < length; ++at) sums[at] = up_to[at + 1] + all - up_to[places_ + at + 1 - length];
    for (std::uint32_t at = length - 1; at < places_; ++at) sums[at] = up_to[at + 1] - up_to[at + 1 - length];
  }

  std::uint32_t places_;
  double answers_;
  std::map<std::uint32_t, std::uint32_t> lengths_;
  Number all_{};   // Σ h
  Numbers at_;     // the sum of the weights at each place
  Numbers up_to_;  // up_to_[p]: the sum of at_ over the first p places
  Numbers up_to_ends_;
  Numbers ends_;
};

struct Multipliers {
  std::vector<std::uint32_t> list;
  std::vector<double> chances;
};

Multipliers multipliers_of(const Questions& questions) {
  Multipliers multipliers;
  if (const auto* circle = std::get_if<CircleQuestions>(&questions.spec())) {
    multipliers.list = circle->multipliers;
    for (const std::uint32_t weight : circle->weights) {
      multipliers.chances.push_back(weight / static_cast<double>(questions.total_weight()));
    }
    return multipliers;
  }
  const std::uint32_t count = std::max(1U, questions.count() / questions.places());
  multipliers.list.resize(count);
  std::iota(multipliers.list.begin(), multipliers.list.end(), 1U);
  multipliers.chances.assign(count, 1.0 / count);
  return multipliers;
}

// A question's turn is uniform, so the place of a value is equally likely to be any place of an arc.
template <class Number>
std::vector<Number> circle_moments(const Questions& questions, std::span<const Number> h, std::span<const Number> h2) {
  const Multipliers multipliers = multipliers_of(questions);
  Windows<Number> windows(questions.places(), questions.answers());
  Windows<Number> windows2 = windows;
  std::vector<Number> moments(h.size(), Number(0.0));
  std::vector<Number> products;
  std::vector<Number> others;
  std::vector<Number> sums;
  const bool differ = h.data() != h2.data();
  for (std::size_t m = 0; m < multipliers.list.size(); ++m) {
    const double chance = multipliers.chances[m] / questions.places();
    windows.place(h, multipliers.list[m]);
    if (differ) windows2.place(h2, multipliers.list[m]);
    for (const auto& [length, arcs] : windows.lengths()) {
      windows.scores(length, products);
      if (differ) windows2.scores(length, others);
      for (std::size_t at = 0; at < products.size(); ++at) products[at] *= differ ? others[at] : products[at];
      windows.sums_over_holding(products, length, sums);
      std::size_t place = 0;
      for (Number& moment : moments) {
        moment += chance * arcs * sums[place];
        place = windows.next(place, multipliers.list[m]);
      }
    }
  }
  return moments;
}

template <class Number>
Number largest_on_circle(const Questions& questions, std::span<const Number> h) {
  Windows<Number> windows(questions.places(), questions.answers());
  Number largest(0.0);
  std::vector<Number> scores;
  for (const std::uint32_t multiplier : multipliers_of(questions).list) {
    windows.place(h, multiplier);
    for (const auto& [length, arcs] : windows.lengths()) {
      windows.scores(length, scores);
      for (const Number& score : scores) raise_to_size(largest, score);
    }
  }
  return largest;
}

// Calls visit(lanes, count) for each kLanes functions. The last call may be about fewer functions.
template <class Visit>
void for_each_lanes(std::span<const std::vector<double>> functions, Visit&& visit) {
  std::vector<Lanes> lanes(functions.empty() ? 0 : functions.front().size());
  for (std::size_t first = 0; first < functions.size(); first += kLanes) {
    const std::size_t count = std::min(kLanes, functions.size() - first);
    for (std::size_t x = 0; x < lanes.size(); ++x) {
      lanes[x].setZero();
      for (std::size_t i = 0; i < count; ++i) lanes[x][static_cast<Eigen::Index>(i)] = functions[first + i][x];
    }
    visit(std::span<const Lanes>(lanes), count);
  }
}

std::vector<double> transform_of(Weights h, std::uint32_t bits) {
  std::vector<double> transform(std::size_t{1} << bits, 0.0);
  std::copy(h.begin(), h.end(), transform.begin());
  compiler::walsh_hadamard(transform);
  return transform;
}

// For every value, the score of a mask's answer is the transform of h at the mask, or its negative.
std::vector<double> parity_moments(const Questions& questions, Weights h, Weights h2) {
  const std::vector<double> transform = transform_of(h, questions.value_bits());
  const std::vector<double> transform2 = transform_of(h2, questions.value_bits());
  double sum = 0;
  for (std::size_t mask = 1; mask < transform.size(); ++mask) sum += transform[mask] * transform2[mask];
  return std::vector<double>(h.size(), sum / static_cast<double>(transform.size() - 1));
}

// Calls visit(question, answers) for each question, with the answers for all values. Each bit of an answer is a parity
// of the value's bits.
template <class Visit>
void for_each_question(const Questions& questions, Visit&& visit) {
  std::vector<std::uint32_t> answers(questions.values(), 0);
  for (std::uint32_t q = 0; q < questions.count(); ++q) {
    for (std::uint32_t bit = 1; bit < questions.values(); bit <<= 1U) {
      const std::uint32_t of_bit = questions.answer(q, bit);
      const std::uint32_t end = std::min(2 * bit, questions.values());
      for (std::uint32_t value = bit; value < end; ++value) answers[value] = answers[value - bit] ^ of_bit;
    }
    visit(q, answers);
  }
}

std::vector<double> scores_of(Weights h, std::span<const std::uint32_t> answers, std::uint32_t width) {
  std::vector<double> scores(std::size_t{1} << width, -sum_of(h));
  for (std::size_t x = 0; x < h.size(); ++x) scores[answers[x]] += static_cast<double>(scores.size()) * h[x];
  return scores;
}

std::vector<double> tried_moments(const Questions& questions, Weights h, Weights h2) {
  std::vector<double> moments(h.size(), 0.0);
  for_each_question(questions, [&](std::uint32_t, std::span<const std::uint32_t> answers) {
    const std::vector<double> scores = scores_of(h, answers, questions.width());
    const std::vector<double> scores2 = scores_of(h2, answers, questions.width());
    for (std::size_t x = 0; x < h.size(); ++x) moments[x] += scores[answers[x]] * scores2[answers[x]];
  });
  for (double& moment : moments) moment /= questions.count();
  return moments;
}

// Two values have the same answer with some probability p, and three values with probability at most p. With K answers
// and the weights h, the score of x is K·h(x) - H + K·(Σ of h over the other values that have the same answer as x),
// where H = Σ h.
std::vector<double> bounded_moments(const Questions& questions, Weights h) {
  const double k = std::exp2(questions.width());
  const double patterns = std::exp2(questions.value_bits());
  const double p = (patterns / k - 1) / (patterns - 1);
  const double all = sum_of(h);
  double sizes = 0;
  for (const double weight : h) sizes += std::abs(weight);
  std::vector<double> moments;
  for (const double weight : h) {
    const double own = k * weight - all;
    const double others = sizes - std::abs(weight);
    moments.push_back(own * own + 2 * own * k * p * (all - weight) + k * k * p * others * others);
  }
  return moments;
}

// Puts a cut wherever a weight changes.
std::vector<double> level_moments(const Questions& questions, Weights h, Weights h2) {
  constexpr double kRounding = 1e-13;
  const auto changes = [](Weights weights) {
    double scale = 0;
    for (const double weight : weights) scale = std::max(scale, std::abs(weight));
    return [weights, scale](std::uint32_t x) { return std::abs(weights[x] - weights[x - 1]) > kRounding * scale; };
  };
  const auto changes_at = changes(h);
  const auto changes2_at = changes(h2);
  std::vector<std::uint32_t> cuts;
  for (std::uint32_t x = 1; x < h.size(); ++x) {
    if (changes_at(x) || changes2_at(x)) cuts.push_back(x);
  }
  std::vector<double> moments(h.size(), 0.0);
  const auto fill = [&](std::uint32_t first, std::uint32_t last, double moment) {
    std::fill(moments.begin() + first, moments.begin() + last + 1, moment);
  };
  LevelMoments(questions).visit([&](std::uint32_t x) { return h[x]; }, [&](std::uint32_t x) { return h2[x]; }, cuts,
                                fill);
  return moments;
}

// A score is a sum, over the sets of the answer's bits, of ± the transform of h at the sum of the bits' masks. For
// levels, the lowest bit of such a sum is the lowest level of the set.
double largest_by_transform(const Questions& questions, Weights h) {
  const std::vector<double> transform = transform_of(h, questions.value_bits());
  std::vector<double> of_level(questions.value_bits(), 0.0);
  for (std::size_t mask = 1; mask < transform.size(); ++mask) {
    double& largest = of_level[static_cast<std::size_t>(__builtin_ctzll(mask))];
    largest = std::max(largest, std::abs(transform[mask]));
  }
  const auto* levels = std::get_if<LevelQuestions>(&questions.spec());
  if (levels == nullptr) {
    return (std::exp2(questions.width()) - 1) * *std::max_element(of_level.begin(), of_level.end());
  }
  double largest = 0;
  for (const std::vector<std::uint32_t>& set : levels->levels) {
    double sum = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      sum += std::exp2(static_cast<double>(set.size() - 1 - i)) * of_level[set[i]];
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

AnswerMoments::AnswerMoments(const Questions& questions) : questions_(questions) {}

bool AnswerMoments::is_exact() const {
  const bool parities = std::holds_alternative<ParityQuestions>(questions_.spec());
  return !parities || questions_.width() == 1 || std::uint64_t{questions_.count()} * questions_.values() <= kMaxTried;
}

std::vector<double> AnswerMoments::at_values(std::span<const double> h, std::span<const double> h2) const {
  if (questions_.places() != 0) return circle_moments<double>(questions_, h, h2);
  if (std::holds_alternative<LevelQuestions>(questions_.spec())) return level_moments(questions_, h, h2);
  if (questions_.width() == 1) return parity_moments(questions_, h, h2);
  return is_exact() ? tried_moments(questions_, h, h2) : bounded_moments(questions_, h);
}

double AnswerMoments::largest_score(std::span<const double> h) const {
  if (questions_.places() != 0) return largest_on_circle<double>(questions_, h);
  const std::uint64_t tried = std::uint64_t{questions_.count()} * questions_.values();
  if (questions_.width() == 1 || tried > kMaxTried / 64) return largest_by_transform(questions_, h);
  double largest = 0;
  for_each_question(questions_, [&](std::uint32_t, std::span<const std::uint32_t> answers) {
    for (const double score : scores_of(h, answers, questions_.width())) largest = std::max(largest, std::abs(score));
  });
  return largest;
}

std::vector<std::vector<double>> AnswerMoments::squares_at_values(
    std::span<const std::vector<double>> functions) const {
  std::vector<std::vector<double>> squares;
  if (questions_.places() == 0) {
    for (const std::vector<double>& h : functions) squares.push_back(at_values(h, h));
    return squares;
  }
  for_each_lanes(functions, [&](std::span<const Lanes> h, std::size_t count) {
    const std::vector<Lanes> moments = circle_moments(questions_, h, h);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<double>& of_one = squares.emplace_back();
      for (const Lanes& moment : moments) of_one.push_back(moment[static_cast<Eigen::Index>(i)]);
    }
  });
  return squares;
}

std::vector<double> AnswerMoments::largest_scores(std::span<const std::vector<double>> functions) const {
  std::vector<double> largest;
  if (questions_.places() == 0) {
    for (const std::vector<double>& h : functions) largest.push_back(largest_score(h));
    return largest;
  }
  for_each_lanes(functions, [&](std::span<const Lanes> h, std::size_t count) {
    const Lanes of_these = largest_on_circle(questions_, h);
    largest.insert(largest.end(), of_these.begin(), of_these.begin() + static_cast<std::ptrdiff_t>(count));
  });
  return largest;
}

}  // namespace hearsay::planner
