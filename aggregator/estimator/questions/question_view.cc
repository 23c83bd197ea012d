#include "aggregator/estimator/questions/question_view.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

constexpr std::string_view kAskLess = "ask about fewer attributes";
constexpr std::uint64_t kBytesPerSubset = 64;
constexpr std::uint64_t kStepsPerSubset = 32;

AxisSet axes_of(const QueryTerm& term, std::size_t parts) {
  AxisSet axes = 0;
  for (; parts != 0; parts &= parts - 1) {
    axes |= AxisSet{1} << term.parts[static_cast<std::size_t>(std::countr_zero(parts))].axis;
  }
  return axes;
}

}  // namespace

class QuestionView::Builder {
 public:
  Builder(QuestionView& view, compiler::Work& work) : view_(view), index_(*view.index_), work_(work) {}

  Result<void> build() {
    found_ = asked_blocks(index_, view_.terms_.attributes, work_);
    HEARSAY_CHECK_OK(check_full_set());
    find_needed();
    HEARSAY_CHECK_OK(find_information());
    for (AskedBlock& block : found_) {
      known_.emplace(block.group_class, block.axes);
      fill(std::move(block), view_.blocks_);
    }
    find_empty_blocks();
    for (Block& block : view_.blocks_) add_reports(block);
    return {};
  }

 private:
  struct Needed {
    double information = 0;  // I_T
    double energy = 0;       // E_T
    // Σ over the terms of √E_T, where each E_T is that of one term alone.
    double size = 0;
    std::size_t terms = 0;
  };

  // For a query of one term, checks that some report covers all its attributes. Call this first, since listing all
  // subsets of many attributes is costly.
  Result<void> check_full_set() const {
    if (view_.terms_.terms.size() != 1) return {};
    const QueryTerm& term = view_.terms_.terms.front();
    const auto covers_all = [&](const AskedBlock& block) { return covers(index_.channel(), block, term.axes); };
    if (term.factor == 0 || std::ranges::any_of(found_, covers_all)) return {};
    return none_asked(index_, attributes_of(view_.terms_.attributes, term.axes));
  }

  // Finds the sets T that the query needs. Also computes E_T for each T: for uniform answers, the mean square of the
  // summand of φ on T, without the factor γ/I_T. E_T is a sum over pairs of terms. Each pair adds the product of these
  // numbers: the two terms' factors for T, and h'·M·h for each attribute in T, where h and h' are the terms' weights.
  // E_T is 0 if the terms' functions on T add up to 0.
  void find_needed() {
    // E_T counts as 0 below this share of the E_T that the terms would have if nothing cancelled.
    constexpr double kCancelled = 1e-13;
    const std::vector<QueryTerm>& terms = view_.terms_.terms;
    for (const QueryTerm& term : terms) {
      factors_.push_back(subset_factors(term, work_));
      for (std::size_t subset = 1; subset < factors_.back().size(); ++subset) {
        if (factors_.back()[subset] == 0) continue;
        work_.spend(kStepsPerSubset);
        if (needed_.emplace(axes_of(term, subset), Needed()).second) work_.hold(kBytesPerSubset, kAskLess);
      }
    }
    find_products();
    for (std::size_t a = 0; a < terms.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) add_energies(a, b);
    }
    std::erase_if(needed_, [&](const auto& set) {
      return set.second.terms > 1 && set.second.energy <= kCancelled * set.second.size * set.second.size;
    });
  }

  // Numbers the functions of each axis, and computes h'·M·h for the weights h and h' of every two functions. Many terms
  // share functions.
  void find_products() {
    const std::size_t axes = view_.terms_.attributes.size();
    std::vector<std::map<std::vector<double>, std::uint32_t>> known(axes);
    std::vector<std::vector<const QueryPart*>> functions(axes);
    for (const QueryTerm& term : view_.terms_.terms) {
      std::vector<std::uint32_t>& numbers = numbers_.emplace_back();
      for (const QueryPart& part : term.parts) {
        work_.spend(part.weights.size());
        const auto next = static_cast<std::uint32_t>(functions[part.axis].size());
        const auto [at, is_new] = known[part.axis].emplace(part.weights, next);
        if (is_new) functions[part.axis].push_back(&part);
        numbers.push_back(at->second);
      }
    }
    for (const std::vector<const QueryPart*>& of_axis : functions) {
      work_.hold(sizeof(double) * of_axis.size() * of_axis.size(), kAskLess);
      std::vector<double>& products = products_.emplace_back();
      for (const QueryPart* one : of_axis) {
        for (const QueryPart* other : of_axis) {
          work_.spend(one->weights.size());
          products.push_back(std::inner_product(one->weights.begin(), one->weights.end(), other->centred.begin(), 0.0));
        }
      }
      counts_.push_back(of_axis.size());
    }
  }

  void add_energies(std::size_t a, std::size_t b) {
    const QueryTerm& first = view_.terms_.terms[a];
    const QueryTerm& second = view_.terms_.terms[b];
    // Both vectors have one element for each set of the first term's parts. `energy` is the product of h'·M·h (see
    // find_products()) over the attributes of the set, or 0 if the second term lacks one of them. `in_second` is the
    // same set in terms of the second term's parts.
    std::vector<double>& energy = energy_;
    std::vector<std::size_t>& in_second = in_second_;
    energy.assign(1, 1);
    in_second.assign(1, 0);
    work_.spend(kStepsPerSubset);
    for (std::size_t p = 0; p < first.parts.size(); ++p) {
      const QueryPart& part = first.parts[p];
      double shared = 0;
      std::size_t bit = 0;
      const auto other = std::ranges::find(second.parts, part.axis, &QueryPart::axis);
      if (other != second.parts.end()) {
        const auto q = static_cast<std::size_t>(other - second.parts.begin());
        shared = products_[part.axis][numbers_[a][p] * counts_[part.axis] + numbers_[b][q]];
        bit = std::size_t{1} << q;
      }
      const std::size_t half = energy.size();
      for (std::size_t subset = 0; subset < half; ++subset) {
        energy.push_back(energy[subset] * shared);
        in_second.push_back(in_second[subset] | bit);
      }
    }
    for (std::size_t subset = 1; subset < energy.size(); ++subset) {
      const double product = factors_[a][subset] * factors_[b][in_second[subset]] * energy[subset];
      if (product == 0) continue;
      work_.spend(kStepsPerSubset);
      Needed& needed = needed_.at(axes_of(first, subset));
      needed.energy += (a == b ? 1 : 2) * product;
      if (a != b) continue;
      needed.size += std::sqrt(product);
      ++needed.terms;
    }
  }

  Result<void> find_information() {
    for (const AskedBlock& block : found_) {
      const double information = block.gamma * block.gamma * block.reports;
      for_each_covered(index_.channel(), block, work_, [&](AxisSet axes) {
        if (const auto at = needed_.find(axes); at != needed_.end()) at->second.information += information;
      });
    }
    // Names the missing set that is the least as a number, so that the error does not depend on the order of the map.
    AxisSet missing = 0;
    for (const auto& [axes, needed] : needed_) {
      if (needed.information == 0 && (missing == 0 || axes < missing)) missing = axes;
    }
    if (missing != 0) return none_asked(index_, attributes_of(view_.terms_.attributes, missing));
    return {};
  }

  void fill(AskedBlock asked, std::vector<Block>& to) {
    Block block{std::move(asked)};
    for (std::uint32_t t = 0; t < view_.terms_.terms.size(); ++t) {
      const QueryTerm& term = view_.terms_.terms[t];
      if ((term.axes & block.axes) == 0 || (block.single && (block.axes & ~term.axes) != 0)) continue;
      Share share{t, {}, {}};
      for (std::uint32_t p = 0; p < term.parts.size(); ++p) {
        if ((block.axes >> term.parts[p].axis & 1U) != 0) share.parts.push_back(p);
      }
      work_.hold(sizeof(double) << share.parts.size(), kAskLess);
      share.coefficients.assign(std::size_t{1} << share.parts.size(), 0);
      bool any = false;
      for (std::size_t subset = 1; subset < share.coefficients.size(); ++subset) {
        work_.spend(kStepsPerSubset);
        std::size_t of_term = 0;
        for (std::size_t i = 0; i < share.parts.size(); ++i) of_term |= (subset >> i & 1U) << share.parts[i];
        const double factor = factors_[t][of_term];
        const AxisSet axes = axes_of(term, of_term);
        const auto needed = needed_.find(axes);
        if (factor == 0 || needed == needed_.end() || !covers(index_.channel(), block, axes)) continue;
        share.coefficients[subset] = factor * block.gamma / needed->second.information;
        any = true;
      }
      if (any) block.shares.push_back(std::move(share));
    }
    if (block.shares.empty()) return;
    for_each_covered(index_.channel(), block, work_, [&](AxisSet axes) {
      const auto needed = needed_.find(axes);
      if (needed == needed_.end()) return;
      const double scale = block.gamma / needed->second.information;
      block.diagonal += scale * scale * needed->second.energy;
    });
    to.push_back(std::move(block));
  }

  void find_empty_blocks() {
    constexpr std::size_t kMost = std::size_t{1} << 16U;
    const std::size_t axes = view_.terms_.attributes.size();
    const auto classes = index_.channel().classes();
    if (axes > 16 || classes.size() << axes > kMost) return;
    for (std::uint32_t c = 0; c < classes.size(); ++c) {
      for (AxisSet inside = (AxisSet{1} << axes) - 1; inside != 0; --inside) {
        work_.spend(kStepsPerSubset);
        const auto size = static_cast<std::size_t>(std::popcount(inside));
        if (size > classes[c].size || (classes[c].kind == GroupKind::kSingle && size < classes[c].size)) continue;
        const AxisSet outside = ((AxisSet{1} << axes) - 1) & ~inside;
        const auto in = attributes_of(view_.terms_.attributes, inside);
        if (!(index_.channel().asks_about(classes[c], in, attributes_of(view_.terms_.attributes, outside)) > 0))
          continue;
        if (known_.contains({c, inside})) continue;
        fill(make_block(index_.channel(), c, inside), view_.empty_blocks_);
      }
    }
  }

  void add_reports(Block& block) {
    view_.for_each(block, work_, [&](double count, double phi) {
      block.sum += count * phi;
      block.squares += count * phi * phi;
    });
  }

  QuestionView& view_;
  const QuestionIndex& index_;
  compiler::Work& work_;
  std::vector<std::vector<double>> factors_;         // per term
  std::vector<std::vector<std::uint32_t>> numbers_;  // per term and part: the number of its function on the axis
  std::vector<std::size_t> counts_;                  // per axis: how many functions
  std::vector<std::vector<double>> products_;        // per axis: h'·M·h for every two functions
  std::vector<double> energy_;                       // the memory of add_energies(), reused for each pair
  std::vector<std::size_t> in_second_;
  std::unordered_map<AxisSet, Needed> needed_;
  std::vector<AskedBlock> found_;
  std::set<std::pair<std::uint32_t, AxisSet>> known_;  // classes and axes of found_
};

Result<QuestionView> QuestionView::create(const QuestionIndex& index, const compiler::LinearQuery& query,
                                          compiler::Work& work) {
  HEARSAY_TRY(QueryTerms terms, query_terms(index, query, work));
  QuestionView view(index, std::move(terms));
  HEARSAY_CHECK_OK(Builder(view, work).build());
  return view;
}

std::vector<std::vector<std::uint32_t>> QuestionView::places(const Block& block,
                                                             const QuestionIndex::AskedSet& set) const {
  const auto attributes = index_->attributes(set);
  std::vector<std::vector<std::uint32_t>> all;
  for (const Share& share : block.shares) {
    std::vector<std::uint32_t>& of_share = all.emplace_back();
    for (const std::uint32_t p : share.parts) {
      const std::uint32_t attribute = terms_.attributes[terms_.terms[share.term].parts[p].axis];
      of_share.push_back(
          static_cast<std::uint32_t>(std::ranges::lower_bound(attributes, attribute) - attributes.begin()));
    }
  }
  return all;
}

std::uint64_t QuestionView::steps_of(const Block& block) const {
  std::uint64_t steps = 0;
  for (const Share& share : block.shares) {
    steps += share.coefficients.size() + share.parts.size();
    for (const std::uint32_t p : share.parts) steps += terms_.terms[share.term].parts[p].scores.steps();
  }
  return steps;
}

double QuestionView::evaluate(const Share& share, std::span<double> scores, std::vector<double>& scratch) {
  const std::vector<double>& c = share.coefficients;
  if (scores.size() == 1) return c[1] * scores[0];
  if (scores.size() == 2) return c[1] * scores[0] + (c[2] + c[3] * scores[0]) * scores[1];
  scratch = c;
  for (std::size_t i = scores.size(); i-- > 0;) {
    const std::size_t half = std::size_t{1} << i;
    for (std::size_t subset = 0; subset < half; ++subset) scratch[subset] += scores[i] * scratch[subset | half];
  }
  return scratch[0];
}

}  // namespace hearsay::estimator
