// Symbols: those of question_variance.cc, of products Π g_i of one indicator each; f_T = Π_{i in T} (g_i - μ_i)·Π of
// μ_i over the rest. Of each kind of people, which g_i hold, E[contribution²] is Σ over pairs of sets (T, U) of a price
// times a product over the attributes: of D_i where i is in both, (g_i - μ_i)·μ_i in one, μ_i² in none; and of the
// noise, with the energy in place of D_i. No mixture of kinds has more than the largest kind.
//
// Products are tried in *bins* of indicators of nearly the same mean, from which that largest number is bounded for all
// products in the bins. Only where the bound exceeds the worst product found, the bins' products are tried.

#include "aggregator/planner/product_class.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "aggregator/compiler/compile.h"
#include "aggregator/planner/people.h"
#include "aggregator/planner/set_prices.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"

namespace hearsay::planner {
namespace {

constexpr double kMaxBinProducts = 0x1p21;
// Of two kinds of people the worst mixture has a closed form.
constexpr std::size_t kMaxTriedPopulations = std::size_t{1} << 14U;
constexpr std::size_t kMaxTriedOfTwoKinds = std::size_t{1} << 20U;

// Indicators of one attribute whose means are from `low` to `high`, and the largest of their other numbers.
struct Bin {
  double low;
  double high;
  Indicator most;
  std::vector<Indicator> members;
  bool is_one_mean() const { return low == high; }
};

void raise(Indicator& most, const Indicator& one) {
  most.energy = std::max(most.energy, one.energy);
  most.inside = std::max(most.inside, one.inside);
  most.outside = std::max(most.outside, one.outside);
}

// Whether `other` is at least as large in all that raises the variance, their means being the same.
bool exceeds(const Indicator& other, const Indicator& one) {
  return other.energy >= one.energy && other.inside >= one.inside && other.outside >= one.outside;
}

std::vector<Bin> bins_of(std::vector<Indicator> list, std::size_t most) {
  constexpr double kSameMean = 1e-11;
  std::sort(list.begin(), list.end(), [](const Indicator& a, const Indicator& b) { return a.mean < b.mean; });
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (list[i].mean - list[i - 1].mean < kSameMean) list[i].mean = list[i - 1].mean;
  }
  std::size_t means = 1;
  for (std::size_t i = 1; i < list.size(); ++i) means += list[i].mean != list[i - 1].mean ? 1 : 0;
  const std::size_t size = means <= most ? 0 : (list.size() + most - 1) / most;
  std::vector<Bin> bins;
  for (const Indicator& one : list) {
    const bool fits = !bins.empty() && (size == 0 ? bins.back().high == one.mean : bins.back().members.size() < size);
    if (!fits) bins.push_back({one.mean, one.mean, one, {}});
    Bin& bin = bins.back();
    bin.high = one.mean;
    raise(bin.most, one);
    bin.members.push_back(one);
  }
  for (Bin& bin : bins) {
    if (!bin.is_one_mean()) continue;
    std::vector<Indicator> kept;
    for (const Indicator& one : bin.members) {
      const auto is_less = [&](const Indicator& other) { return exceeds(other, one); };
      if (std::any_of(kept.begin(), kept.end(), is_less)) continue;
      kept.erase(std::remove_if(kept.begin(), kept.end(), [&](const Indicator& other) { return exceeds(one, other); }),
                 kept.end());
      kept.push_back(one);
    }
    bin.members = std::move(kept);
  }
  return bins;
}

// The numbers of one attribute of which products are summed.
struct Factors {
  double energy;
  double none;     // μ²
  double one[2];   // (g - μ)·μ where g is 0 and 1
  double both[2];  // D
};

Factors factors_of(const Indicator& one) {
  return {
      one.energy, one.mean * one.mean, {-one.mean * one.mean, (1 - one.mean) * one.mean}, {one.outside, one.inside}};
}

// Upper bounds on their sizes, for all of a bin.
Factors factors_of(const Bin& bin) {
  const double mean = std::max(std::abs(bin.low), std::abs(bin.high));
  const double rest = std::max(std::abs(1 - bin.low), std::abs(1 - bin.high));
  return {bin.most.energy, mean * mean, {mean * mean, rest * mean}, {bin.most.outside, bin.most.inside}};
}

// The variance of products on some attributes.
class Products {
 public:
  Products(const SampledChannel& channel, std::span<const std::uint32_t> attributes)
      : prices_(channel, attributes), size_(attributes.size()) {
    std::size_t states = 1;
    for (std::size_t i = 0; i < size_; ++i) states *= 3;
    signals_.assign(states, 0.0);
    for (std::uint32_t set = 1; set < prices_.sets(); ++set) {
      noises_.resize(prices_.sets(), 0.0);
      averages_.resize(prices_.sets(), 0.0);
      noises_[set] = prices_.noise(set);
      averages_[set] = 1 / prices_.information(set);
      for (std::uint32_t other = 1; other < prices_.sets(); ++other) {
        means_.push_back(prices_.mean(set, other));
        std::size_t state = 0;
        for (std::size_t i = size_; i-- > 0;) state = 3 * state + (set >> i & 1U) + (other >> i & 1U);
        signals_[state] += prices_.signal(set, other);
      }
    }
    has_signals_ = std::any_of(signals_.begin(), signals_.end(), [](double price) { return price != 0; });
  }

  const SetPrices& prices() const { return prices_; }
  bool same_prices(const Products& other) const {
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(a); };
    const auto all_near = [&](const std::vector<double>& a, const std::vector<double>& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), near);
    };
    return all_near(noises_, other.noises_) && all_near(signals_, other.signals_) && all_near(means_, other.means_);
  }

  double average(std::span<const Factors> factors) const { return fold(averages_, factors); }
  double noise(std::span<const Factors> factors) const { return fold(noises_, factors); }

  // E[contribution²] of a kind of people, without the noise: bit i says whether g_i holds.
  double signal(std::span<const Factors> factors, std::uint32_t kind) const {
    if (!has_signals_) return 0;
    buffer_ = signals_;
    std::size_t left = buffer_.size();
    for (std::size_t i = 0; i < size_; ++i) {
      const std::size_t holds = kind >> i & 1U;
      left /= 3;
      for (std::size_t state = 0; state < left; ++state) {
        buffer_[state] = factors[i].none * buffer_[3 * state] + factors[i].one[holds] * buffer_[3 * state + 1] +
                         factors[i].both[holds] * buffer_[3 * state + 2];
      }
    }
    return buffer_[0];
  }

  double largest_kind(std::span<const Factors> factors) const {
    double most = signal(factors, 0);
    for (std::uint32_t kind = 1; has_signals_ && kind < prices_.sets(); ++kind) {
      most = std::max(most, signal(factors, kind));
    }
    return noise(factors) + most;
  }

  WorstPeople worst(std::span<const Indicator* const> product, std::span<const Factors> factors) const {
    People people(means_);
    const double same = noise(factors);
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
      people.add(same + signal(factors, kind), value, parts);
    }
    return worst_people(people, average(factors));
  }

 private:
  // Σ_T price_T·Π_{i in T} energy·Π of μ² over the rest.
  double fold(const std::vector<double>& prices, std::span<const Factors> factors) const {
    buffer_ = prices;
    std::size_t left = buffer_.size();
    for (std::size_t i = 0; i < size_; ++i) {
      left /= 2;
      for (std::size_t set = 0; set < left; ++set) {
        buffer_[set] = factors[i].none * buffer_[2 * set] + factors[i].energy * buffer_[2 * set + 1];
      }
    }
    return buffer_[0];
  }

  SetPrices prices_;
  std::size_t size_;
  std::vector<double> noises_;
  std::vector<double> averages_;
  std::vector<double> signals_;  // per attribute in none, one or both of two sets
  std::vector<double> means_;    // of pairs of sets
  bool has_signals_ = false;
  mutable std::vector<double> buffer_;
};

// Calls visit with one element of each list, all combinations.
template <class T, class Visit>
void for_each_product(const std::vector<std::vector<T>>& lists, Visit&& visit) {
  std::vector<std::size_t> at(lists.size(), 0);
  std::vector<const T*> chosen(lists.size());
  for (;;) {
    for (std::size_t i = 0; i < lists.size(); ++i) chosen[i] = &lists[i][at[i]];
    visit(std::span<const T* const>(chosen));
    std::size_t i = 0;
    while (i < lists.size() && ++at[i] == lists[i].size()) at[i++] = 0;
    if (i == lists.size()) return;
  }
}

class ProductSearch {
 public:
  ProductSearch(const Task& task, const ProductClass& of)
      : task_(task), of_(of), channel_(std::get<SampledChannel>(task.channel().kind())) {}

  Result<WorstQuery> run() {
    for (const std::uint32_t i : of_.attributes) {
      const auto known =
          std::find_if(lists_.begin(), lists_.end(), [&](const auto& list) { return alike({i}, {list.first}); });
      if (known != lists_.end()) {
        lists_.emplace(i, known->second);
        continue;
      }
      HEARSAY_TRY(IndicatorClass found,
                  indicators(task_.schema()[i], channel_.questions(i), of_.indicators, of_.most == 1));
      exact_ = exact_ && found.exact;
      lists_.emplace(i, std::move(found.list));
    }
    std::vector<std::uint32_t> chosen;
    HEARSAY_CHECK_OK(choose(0, chosen));
    WorstQuery& result = result_;
    result.variance.exact = exact_ && !channel_.asks_parities();
    if (unresolved_ > 0) {
      result.variance.worst = std::max(result.variance.worst, unresolved_);
      result.variance.worst_among_reporters = std::max(result.variance.worst_among_reporters, unresolved_);
      result.variance.exact = false;
    }
    result.variance.kurtosis =
        result.variance.influence * result.variance.influence / result.variance.worst_among_reporters;
    return result;
  }

 private:
  using Attributes = std::vector<std::uint32_t>;

  Result<void> choose(std::size_t next, Attributes& chosen) {
    if (!chosen.empty()) HEARSAY_CHECK_OK(search(chosen));
    if (chosen.size() == of_.most) return {};
    for (std::size_t i = next; i < of_.attributes.size(); ++i) {
      chosen.push_back(of_.attributes[i]);
      HEARSAY_CHECK_OK(choose(i + 1, chosen));
      chosen.pop_back();
    }
    return {};
  }

  bool alike(const Attributes& a, const Attributes& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](std::uint32_t i, std::uint32_t j) {
      return task_.schema()[i].kind() == task_.schema()[j].kind() &&
             channel_.questions(i).values() == channel_.questions(j).values() &&
             channel_.questions(i).spec() == channel_.questions(j).spec();
    });
  }

  Result<void> search(const Attributes& on) {
    for (std::uint32_t set = 1; set < 1U << on.size(); ++set) {
      Attributes subset;
      for (std::size_t i = 0; i < on.size(); ++i) {
        if ((set >> i & 1U) != 0) subset.push_back(on[i]);
      }
      if (channel_.asks(subset)) continue;
      return Error{ErrorCode::kQueryNotCovered,
                   "the task does not ask about " + compiler::names(task_.schema(), subset) + " together"};
    }
    const auto products = std::make_shared<const Products>(channel_, on);
    for (const auto& [others, of_others] : searched_) {
      if (alike(on, others) && products->same_prices(*of_others)) return {};
    }
    searched_.emplace_back(on, products);
    add_influence(on, *products);
    std::vector<std::vector<Bin>> bins;
    const double most = std::pow(kMaxBinProducts, 1 / static_cast<double>(on.size()));
    for (const std::uint32_t i : on) bins.push_back(bins_of(lists_.at(i), static_cast<std::size_t>(most)));
    try_bins(on, *products, bins);
    return {};
  }

  void add_influence(const Attributes& on, const Products& products) {
    std::vector<double> sizes{1};
    for (const std::uint32_t i : on) {
      double mean = 0;
      double score = 0;
      for (const Indicator& one : lists_.at(i)) {
        mean = std::max(mean, std::abs(one.mean));
        score = std::max(score, one.score);
      }
      const std::size_t before = sizes.size();
      for (std::size_t set = 0; set < before; ++set) sizes.push_back(sizes[set] * score);
      for (std::size_t set = 0; set < before; ++set) sizes[set] *= mean;
    }
    result_.variance.influence = std::max(result_.variance.influence, 2 * products.prices().largest(sizes));
  }

  static double bound_of(const Products& products, std::span<const Bin* const> bins, std::vector<Factors>& factors) {
    const bool exact_means = std::all_of(bins.begin(), bins.end(), [](const Bin* bin) { return bin->is_one_mean(); });
    for (std::size_t i = 0; i < bins.size(); ++i) {
      factors[i] = exact_means ? factors_of(bins[i]->most) : factors_of(*bins[i]);
    }
    return products.largest_kind(factors);
  }

  // The bins with the largest bound first, and then all that may have more than what was found.
  void try_bins(const Attributes& on, const Products& products, const std::vector<std::vector<Bin>>& bins) {
    std::vector<Factors> factors(on.size());
    std::vector<const Bin*> dearest;
    double most = 0;
    for_each_product(bins, [&](std::span<const Bin* const> choice) {
      const double bound = bound_of(products, choice, factors);
      result_.variance.average = std::max(result_.variance.average, products.average(factors));
      if (bound <= most) return;
      most = bound;
      dearest.assign(choice.begin(), choice.end());
    });
    if (!dearest.empty()) try_products(on, products, dearest);
    for_each_product(bins, [&](std::span<const Bin* const> choice) {
      const double bound = bound_of(products, choice, factors);
      if (may_exceed(bound) && !std::equal(choice.begin(), choice.end(), dearest.begin())) {
        try_products(on, products, choice);
      }
    });
  }

  bool may_exceed(double bound) const {
    constexpr double kRounding = 1 + 1e-9;
    const ReportVariance& worst = result_.variance;
    return bound > std::min(worst.worst, worst.worst_among_reporters) * kRounding;
  }

  void try_products(const Attributes& on, const Products& products, std::span<const Bin* const> bins) {
    std::vector<Factors> factors(on.size());
    std::vector<std::vector<Indicator>> members;
    for (const Bin* bin : bins) members.push_back(bin->members);
    for_each_product(members, [&](std::span<const Indicator* const> product) {
      for (std::size_t i = 0; i < product.size(); ++i) factors[i] = factors_of(*product[i]);
      const double bound = products.largest_kind(factors);
      if (!may_exceed(bound)) return;
      if (++tried_populations_ > (on.size() == 1 ? kMaxTriedOfTwoKinds : kMaxTriedPopulations)) {
        unresolved_ = std::max(unresolved_, bound);
        return;
      }
      add(on, product, products.worst(product, factors));
    });
  }

  void add(const Attributes& on, std::span<const Indicator* const> product, const WorstPeople& worst) {
    exact_ = exact_ && worst.drawn.exact && worst.among_reporters.exact;
    result_.variance.worst = std::max(result_.variance.worst, worst.drawn.value);
    if (worst.among_reporters.value <= result_.variance.worst_among_reporters) return;
    result_.variance.worst_among_reporters = worst.among_reporters.value;
    result_.query = text_of(on, product);
  }

  std::string text_of(const Attributes& on, std::span<const Indicator* const> product) const {
    std::vector<Query> operands;
    for (std::size_t i = 0; i < on.size(); ++i) {
      const Query inside(query::Membership{on[i], {{product[i]->first, product[i]->last}}});
      operands.push_back(product[i]->negated ? Query(query::Not{std::make_shared<const Query>(inside)}) : inside);
    }
    const Query all = operands.size() == 1 ? operands.front() : Query(query::And{std::move(operands)});
    return all.to_string(task_.schema());
  }

  const Task& task_;
  const ProductClass& of_;
  const SampledChannel& channel_;
  std::map<std::uint32_t, std::vector<Indicator>> lists_;
  std::vector<std::pair<Attributes, std::shared_ptr<const Products>>> searched_;
  WorstQuery result_{};
  double unresolved_ = 0;  // the largest bound of products whose worst population was not tried
  std::size_t tried_populations_ = 0;
  bool exact_ = true;
};

}  // namespace

Result<WorstQuery> worst_product(const Task& task, const ProductClass& of) { return ProductSearch(task, of).run(); }

}  // namespace hearsay::planner
