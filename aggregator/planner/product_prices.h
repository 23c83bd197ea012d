// The variances of many products of indicators of some attributes, one product after the other.
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

// The numbers of one attribute's factor in a product.
struct Factors {
  double energy;
  double none;     // μ²
  double one[2];   // (g - μ)·μ where g is 0 and 1
  double both[2];  // D
};

Factors factors_of(const Indicator& one);

// Sums over sets of attributes are folded attribute by attribute, the last one first. If a product differs from the one
// before only in its first attributes, only the folds of these are computed.
class ProductPrices {
 public:
  ProductPrices(const SampledChannel& channel, std::span<const std::uint32_t> attributes);

  const SetPrices& prices() const { return prices_; }
  bool same_prices(const ProductPrices& other) const;

  // Chooses the product for the functions below. `factors` from the place `changed` on must be those of the last call.
  // In the first call, all have changed.
  void choose(std::span<const Factors> factors, std::size_t changed);
  double average() const { return averages_.front().front(); }
  double noise() const { return noises_.front().front(); }
  // Returns E[contribution²] of a kind of people, without the noise. Bit i of `kind` says whether g_i holds.
  double signal(std::uint32_t kind) const { return has_signals_ ? signals_.front()[kind] : 0; }
  double largest_kind() const;
  // `product` must be the chosen one, and its factors must not be those of a bin.
  WorstPeople worst(std::span<const Indicator* const> product) const;

 private:
  SetPrices prices_;
  std::size_t size_;
  std::vector<double> means_;  // of pairs of sets
  // At i: what is left after the attributes from i on are folded, for each set of the attributes below i.
  std::vector<std::vector<double>> noises_;
  std::vector<std::vector<double>> averages_;
  // Indexed by the kind of people as to the attributes from i on, and then by how many of two sets each attribute below
  // i is in.
  std::vector<std::vector<double>> signals_;
  bool has_signals_ = false;
};

}  // namespace hearsay::planner
