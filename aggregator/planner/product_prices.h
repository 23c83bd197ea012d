// The variance of products of one indicator each of some attributes, for one product after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/planner/one_attribute.h"
#include "aggregator/planner/people.h"
#include "aggregator/planner/set_prices.h"
#include "common/channel/sampled.h"

namespace hearsay::planner {

// The numbers of one attribute of which products are summed.
struct Factors {
  double energy;
  double none;     // μ²
  double one[2];   // (g - μ)·μ where g is 0 and 1
  double both[2];  // D
};

Factors factors_of(const Indicator& one);

// Sums over sets of attributes are folded attribute by attribute, the last one first. A product that differs from the
// one before in its first attributes alone takes the folds of these alone.
class ProductPrices {
 public:
  ProductPrices(const SampledChannel& channel, std::span<const std::uint32_t> attributes);

  const SetPrices& prices() const { return prices_; }
  bool same_prices(const ProductPrices& other) const;

  // Chooses the product that the numbers below are of. Those from the place `changed` on, if they are given again, must
  // be the same as in the last call; the first call must say that all have changed.
  void choose(std::span<const Factors> factors, std::size_t changed);
  double average() const { return averages_.front().front(); }
  double noise() const { return noises_.front().front(); }
  // E[contribution²] of a kind of people, without the noise: bit i says whether g_i holds.
  double signal(std::uint32_t kind) const { return has_signals_ ? signals_.front()[kind] : 0; }
  double largest_kind() const;
  // `product`: the chosen one, whose factors are not those of a bin.
  WorstPeople worst(std::span<const Indicator* const> product) const;

 private:
  SetPrices prices_;
  std::size_t size_;
  std::vector<double> means_;  // of pairs of sets
  // At i: what is left after the attributes from i on are folded. By the set of those below i.
  std::vector<std::vector<double>> noises_;
  std::vector<std::vector<double>> averages_;
  // By the kind of people as to the attributes from i on, and then in how many of two sets each attribute below i is.
  std::vector<std::vector<double>> signals_;
  bool has_signals_ = false;
};

}  // namespace hearsay::planner
