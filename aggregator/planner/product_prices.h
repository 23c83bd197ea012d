// Computes the variances of many products of indicators of some attributes, one product after the other.
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

// The numbers of one factor of a product, for an indicator g of an attribute (question_variance.cc).
struct Factors {
  double energy;
  double none;     // μ²: the factor for an attribute in neither set
  double one[2];   // (g - μ)·μ for g = 0 and g = 1: the factor for an attribute in one set
  double both[2];  // D: the factor for an attribute in both sets
};

Factors factors_of(const Indicator& one);

// Computes sums over sets of attributes by folding attribute after attribute, the last first. If a product differs from
// the product before only in its first attributes, computes only the folds of these attributes.
class ProductPrices {
 public:
  ProductPrices(const SampledChannel& channel, std::span<const std::uint32_t> attributes);

  const SetPrices& prices() const { return prices_; }
  bool same_prices(const ProductPrices& other) const;

  // Chooses the product for the functions below. `factors` from the place `changed` on must equal the factors of the
  // last call. In the first call, `changed` must be the number of factors.
  void choose(std::span<const Factors> factors, std::size_t changed);
  double average() const { return averages_.front().front(); }
  double noise() const { return noises_.front().front(); }
  // Returns E[contribution²] of a kind of people, without the noise. Bit i of `kind` says whether g_i is 1.
  double signal(std::uint32_t kind) const { return has_signals_ ? signals_.front()[kind] : 0; }
  double largest_kind() const;
  // `product` must be the chosen product, a product of single indicators and not of bins (product_class.cc).
  WorstPeople worst(std::span<const Indicator* const> product) const;

 private:
  SetPrices prices_;
  std::size_t size_;
  std::vector<double> means_;  // mean(T, U) of set_prices.h, for each pair of sets
  // noises_[i] holds the sums after folding the attributes from i on, for each set of the attributes below i.
  std::vector<std::vector<double>> noises_;
  std::vector<std::vector<double>> averages_;
  // signals_[i] is indexed by two numbers. The first is the kind of people, by the attributes from i on. The second
  // gives, for each attribute below i, how many of the two sets hold the attribute.
  std::vector<std::vector<double>> signals_;
  bool has_signals_ = false;
};

}  // namespace hearsay::planner
