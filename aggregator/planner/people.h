// A model for worst_population.h: the variance as a function of the people who report, if reports answer other
// questions than parities.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "aggregator/planner/worst_population.h"

namespace hearsay::planner {

// Computes n·Var = E[second] - Σ_{T,U} price(T, U)·E[f_T]·E[f_U] - share·Var[value], where E and Var are over kinds of
// people. T and U are sets of attributes, and f_T is that of set_prices.h.
class People {
 public:
  // `prices` has the number price(T, U) for each pair of sets of attributes, row by row.
  explicit People(std::vector<double> prices) : prices_(std::move(prices)) {
    while (sets_ * sets_ < prices_.size()) ++sets_;
  }

  // Adds a kind of people. `second` is E[contribution²] of a report of this kind. `value` is the function's value, up
  // to a constant. `parts` has f_T for each set T.
  void add(double second, double value, std::span<const double> parts) {
    kinds_.insert(kinds_.end(), {second, value, value * value});
    kinds_.insert(kinds_.end(), parts.begin(), parts.end());
  }
  // With the share 1, the error is against the mean of `value` among the reporters themselves. With the share 0, the
  // people are drawn anew.
  void set_share(double share) { share_ = share; }

  // Has, for each of a kind's numbers (see add()), the mean over a population.
  using Means = std::vector<double>;
  std::size_t vertices() const { return kinds_.size() / stride(); }
  std::size_t numbers() const { return kinds_.size(); }

  Means moments(const std::vector<double>& parts) const {
    Means means(stride(), 0.0);
    for (std::size_t kind = 0; kind < parts.size(); ++kind) {
      if (parts[kind] == 0) continue;
      for (std::size_t m = 0; m < means.size(); ++m) means[m] += parts[kind] * kinds_[kind * stride() + m];
    }
    return means;
  }

  double value(const Means& means) const {
    return means[0] - share_ * (means[2] - means[1] * means[1]) - squares(means);
  }

  double slopes(const Means& means, std::vector<double>& out) const {
    Means slope(stride(), 0.0);
    slope[0] = 1;
    slope[1] = 2 * share_ * means[1];
    slope[2] = -share_;
    for (std::size_t t = 0; t < sets_; ++t) {
      for (std::size_t u = 0; u < sets_; ++u) slope[kOwn + t] -= 2 * prices_[t * sets_ + u] * means[kOwn + u];
    }
    for (std::size_t kind = 0; kind < out.size(); ++kind) {
      out[kind] = 0;
      for (std::size_t m = 0; m < slope.size(); ++m) out[kind] += slope[m] * (kinds_[kind * stride() + m] - means[m]);
    }
    return value(means);
  }

  double largest_second() const {
    double most = kinds_.front();
    for (std::size_t at = 0; at < kinds_.size(); at += stride()) most = std::max(most, kinds_[at]);
    return most;
  }

  // Returns the largest n·Var over populations of one kind.
  double largest_of_one() const {
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t at = 0; at < kinds_.size(); at += stride()) {
      most = std::max(most, kinds_[at] - squares(std::span(kinds_).subspan(at, stride())));
    }
    return most;
  }

  // Returns the largest n·Var over mixtures of two kinds. There must be exactly two kinds.
  double largest_of_two() const {
    const Means at = moments({1, 0});
    const Means step = moments({-1, 1});
    std::vector<double> slope(2);
    const double value_there = slopes(at, slope);
    const double curve = bend(step);
    const double end = curve < 0 ? std::clamp(slope[1] / (-2 * curve), 0.0, 1.0) : (slope[1] + curve > 0 ? 1 : 0);
    return value_there + end * slope[1] + end * end * curve;
  }

  double bend(const Means& step) const { return share_ * step[1] * step[1] - squares(step); }

 private:
  // A kind has kOwn numbers before its parts: second, value and value².
  static constexpr std::size_t kOwn = 3;

  double squares(std::span<const double> means) const {
    double sum = 0;
    for (std::size_t t = 0; t < sets_; ++t) {
      for (std::size_t u = 0; u < sets_; ++u) sum += prices_[t * sets_ + u] * means[kOwn + t] * means[kOwn + u];
    }
    return sum;
  }
  std::size_t stride() const { return kOwn + sets_; }

  std::vector<double> prices_;
  std::size_t sets_ = 0;
  std::vector<double> kinds_;
  double share_ = 0;
};

// The largest n·Var over all mixtures of the kinds. For `scale` below, see Maximum.
struct WorstPeople {
  Maximum drawn;  // for people drawn anew
  // For the error against the mean of `value` among the reporters.
  Maximum among_reporters;
};
inline WorstPeople worst_people(People& people, double scale) {
  const auto worst = [&](double share) {
    constexpr std::size_t kMostWork = std::size_t{1} << 26U;  // takes some tenths of a second
    constexpr double kRounding = 1e-6;
    people.set_share(share);
    // No population has a larger n·Var than the largest second moment. If one kind reaches this moment, no search is
    // needed.
    const double second = people.largest_second();
    if (people.largest_of_one() > second * (1 - kRounding)) return Maximum{second, true};
    if (people.vertices() == 2) return Maximum{people.largest_of_two(), true};
    return largest(people, scale, std::clamp<std::size_t>(kMostWork / people.numbers(), 4, 20'000));
  };
  Maximum drawn = worst(0);
  Maximum among_reporters = worst(1);
  drawn.value = std::min(drawn.value, people.largest_second());
  among_reporters.value = std::min(among_reporters.value, drawn.value);
  return {drawn, among_reporters};
}

}  // namespace hearsay::planner
