// Symbols: those of product_class.cc.

#include "aggregator/planner/product_prices.h"

#include <algorithm>
#include <cmath>

namespace hearsay::planner {

Factors factors_of(const Indicator& one) {
  return {
      one.energy, one.mean * one.mean, {-one.mean * one.mean, (1 - one.mean) * one.mean}, {one.outside, one.inside}};
}

ProductPrices::ProductPrices(const SampledChannel& channel, std::span<const std::uint32_t> attributes)
    : prices_(channel, attributes), size_(attributes.size()) {
  noises_.resize(size_ + 1);
  averages_.resize(size_ + 1);
  signals_.resize(size_ + 1);
  std::size_t states = 1;
  for (std::size_t i = 0; i <= size_; ++i, states *= 3) {
    noises_[i].assign(std::size_t{1} << i, 0.0);
    averages_[i] = noises_[i];
    signals_[i].assign(states << (size_ - i), 0.0);
  }
  for (std::uint32_t set = 1; set < prices_.sets(); ++set) {
    noises_.back()[set] = prices_.noise(set);
    averages_.back()[set] = 1 / prices_.information(set);
    for (std::uint32_t other = 1; other < prices_.sets(); ++other) {
      means_.push_back(prices_.mean(set, other));
      std::size_t state = 0;
      for (std::size_t i = size_; i-- > 0;) state = 3 * state + (set >> i & 1U) + (other >> i & 1U);
      signals_.back()[state] += prices_.signal(set, other);
    }
  }
  has_signals_ = std::ranges::any_of(signals_.back(), [](double price) { return price != 0; });
}

bool ProductPrices::same_prices(const ProductPrices& other) const {
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(a); };
  const auto all_near = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), near);
  };
  return all_near(noises_.back(), other.noises_.back()) && all_near(signals_.back(), other.signals_.back()) &&
         all_near(means_, other.means_);
}

void ProductPrices::choose(std::span<const Factors> factors, std::size_t changed) {
  std::size_t states = 1;  // states of the attributes below i: each is in none, one or both of two sets
  for (std::size_t i = 0; i < changed; ++i) states *= 3;
  for (std::size_t i = changed; i-- > 0;) {
    const Factors& of = factors[i];
    const std::size_t sets = std::size_t{1} << i;
    for (std::size_t set = 0; set < sets; ++set) {
      noises_[i][set] = of.none * noises_[i + 1][set] + of.energy * noises_[i + 1][set + sets];
      averages_[i][set] = of.none * averages_[i + 1][set] + of.energy * averages_[i + 1][set + sets];
    }
    states /= 3;
    if (!has_signals_) continue;
    const std::size_t kinds = std::size_t{1} << (size_ - i - 1);  // kinds of people, by the attributes above i
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const double* const from = signals_[i + 1].data() + kind * 3 * states;
      for (const std::size_t holds : {0U, 1U}) {
        double* const to = signals_[i].data() + (2 * kind + holds) * states;
        for (std::size_t state = 0; state < states; ++state) {
          to[state] =
              of.none * from[state] + of.one[holds] * from[state + states] + of.both[holds] * from[state + 2 * states];
        }
      }
    }
  }
}

double ProductPrices::largest_kind() const {
  return noise() + (has_signals_ ? *std::ranges::max_element(signals_.front()) : 0);
}

WorstPeople ProductPrices::worst(std::span<const Indicator* const> product) const {
  People people(means_);
  const double same = noise();
  for (std::uint32_t kind = 0; kind < prices_.sets(); ++kind) {
    std::vector<double> parts;
    double value = 0;
    for (std::uint32_t set = 1; set < prices_.sets(); ++set) {
      double part = 1;
      for (std::size_t i = 0; i < size_; ++i) {
        const double mean = product[i]->mean;
        part *= (set >> i & 1U) == 0 ? mean : (kind >> i & 1U) - mean;
      }
      parts.push_back(part);
      value += part;
    }
    people.add(same + signal(kind), value, parts);
  }
  return worst_people(people, average());
}

}  // namespace hearsay::planner
