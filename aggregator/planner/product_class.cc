// Symbols: those of question_variance.cc, for products Π g_i of one indicator each. f_T = Π_{i in T} (g_i - μ_i)·Π of
// μ_i over the other attributes. People for whom the same g_i are 1 form a kind. For each kind, E[contribution²] is a
// sum over pairs of sets (T, U) of a price times a product over the attributes. The factor of attribute i is D_i if i
// is in both sets, (g_i - μ_i)·μ_i if i is in one set, and μ_i² if i is in neither. The noise is such a sum, too, with
// the energy in place of D_i. No mixture of kinds has a larger E[contribution²] than the largest of its kinds.
//
// The search goes through *bins* of indicators of nearly the same mean. Choose one bin for each attribute. The largest
// numbers of these bins give one upper bound on E[contribution²], for every kind of people and for every product of
// indicators from these bins. The search tries the products of a choice of bins only if the choice's bound exceeds the
// worst product found.

#include "aggregator/planner/product_class.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "aggregator/compiler/compile.h"
#include "aggregator/planner/product_prices.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"

namespace hearsay::planner {
namespace {

constexpr double kMaxBinProducts = 0x1p21;
// The search can try more products of one factor, since the worst mixture of two kinds of people has a closed form.
constexpr std::size_t kMaxTriedPopulations = std::size_t{1} << 14U;
constexpr std::size_t kMaxTriedOfTwoKinds = std::size_t{1} << 20U;

// Indicators of one attribute with means from `low` to `high`. In `most`, the energy, `inside` and `outside` are the
// largest among the indicators.
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

// Returns true if each number that raises the variance is at least as large in `other` as in `one`. Both indicators
// must have the same mean.
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

// Returns upper bounds on the magnitudes of the factors of all indicators of a bin.
Factors factors_of(const Bin& bin) {
  const double mean = std::max(std::abs(bin.low), std::abs(bin.high));
  const double rest = std::max(std::abs(1 - bin.low), std::abs(1 - bin.high));
  return {bin.most.energy, mean * mean, {mean * mean, rest * mean}, {bin.most.outside, bin.most.inside}};
}

// Calls visit(elements, changed) for every combination of one element from each list. Only the first `changed` elements
// may differ from the elements of the call before.
template <class T, class Visit>
void for_each_product(const std::vector<std::vector<T>>& lists, Visit&& visit) {
  std::vector<std::size_t> at(lists.size(), 0);
  std::vector<const T*> chosen(lists.size());
  std::size_t changed = lists.size();
  for (;;) {
    for (std::size_t i = 0; i < changed; ++i) chosen[i] = &lists[i][at[i]];
    visit(std::span<const T* const>(chosen), changed);
    std::size_t i = 0;
    while (i < lists.size() && ++at[i] == lists[i].size()) at[i++] = 0;
    if (i == lists.size()) return;
    changed = i + 1;
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
    const auto products = std::make_shared<ProductPrices>(channel_, on);
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

  void add_influence(const Attributes& on, const ProductPrices& products) {
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

  // Tries the choice of bins with the largest bound first, and then all choices whose bound exceeds the worst product
  // found.
  void try_bins(const Attributes& on, ProductPrices& products, const std::vector<std::vector<Bin>>& bins) {
    const bool exact_means = std::ranges::all_of(bins, [](const std::vector<Bin>& list) {
      return std::ranges::all_of(list, [](const Bin& bin) { return bin.is_one_mean(); });
    });
    std::vector<Factors> factors(on.size());
    const auto choose = [&](std::span<const Bin* const> choice, std::size_t changed) {
      for (std::size_t i = 0; i < changed; ++i) {
        factors[i] = exact_means ? factors_of(choice[i]->most) : factors_of(*choice[i]);
      }
      products.choose(factors, changed);
    };
    std::vector<const Bin*> dearest;
    std::vector<double> bounds;
    double most = 0;
    for_each_product(bins, [&](std::span<const Bin* const> choice, std::size_t changed) {
      choose(choice, changed);
      bounds.push_back(products.largest_kind());
      result_.variance.average = std::max(result_.variance.average, products.average());
      if (bounds.back() <= most) return;
      most = bounds.back();
      dearest.assign(choice.begin(), choice.end());
    });
    if (!dearest.empty()) try_products(on, products, dearest);
    std::size_t next = 0;
    for_each_product(bins, [&](std::span<const Bin* const> choice, std::size_t) {
      const bool may = may_exceed(bounds[next++]);
      if (may && !std::equal(choice.begin(), choice.end(), dearest.begin())) try_products(on, products, choice);
    });
  }

  bool may_exceed(double bound) const {
    constexpr double kRounding = 1 + 1e-9;
    const ReportVariance& worst = result_.variance;
    return bound > std::min(worst.worst, worst.worst_among_reporters) * kRounding;
  }

  void try_products(const Attributes& on, ProductPrices& products, std::span<const Bin* const> bins) {
    std::vector<Factors> factors(on.size());
    std::vector<std::vector<Indicator>> members;
    for (const Bin* bin : bins) members.push_back(bin->members);
    for_each_product(members, [&](std::span<const Indicator* const> product, std::size_t changed) {
      for (std::size_t i = 0; i < changed; ++i) factors[i] = factors_of(*product[i]);
      products.choose(factors, changed);
      const double bound = products.largest_kind();
      if (!may_exceed(bound)) return;
      if (++tried_populations_ > (on.size() == 1 ? kMaxTriedOfTwoKinds : kMaxTriedPopulations)) {
        unresolved_ = std::max(unresolved_, bound);
        return;
      }
      add(on, product, products.worst(product));
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
  std::vector<std::pair<Attributes, std::shared_ptr<const ProductPrices>>> searched_;
  WorstQuery result_{};
  double unresolved_ = 0;  // the largest bound of products whose worst population was not tried
  std::size_t tried_populations_ = 0;
  bool exact_ = true;
};

}  // namespace

Result<WorstQuery> worst_product(const Task& task, const ProductClass& of) { return ProductSearch(task, of).run(); }

}  // namespace hearsay::planner
