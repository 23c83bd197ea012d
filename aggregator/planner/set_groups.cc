#include "aggregator/planner/set_groups.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "common/channel/questions.h"
#include "common/channel/sampled.h"

namespace hearsay::planner {
namespace {

using Set = std::vector<std::uint32_t>;  // a set of attributes, ascending

constexpr std::size_t kMostLists = 400;
constexpr std::size_t kMostGroups = 4096;
constexpr std::size_t kMostUnions = 128;

class GroupLists {
 public:
  GroupLists(const Schema& schema, const SetProblem& problem, double epsilon) : schema_(schema), problem_(problem) {
    // Answers of more than useful_ bits are nearly always noise, as group_weights.cc says.
    useful_ = std::min<std::size_t>(SampledChannel::kMaxWidth, static_cast<std::size_t>(epsilon / std::log(2.0)) + 3);
    for (std::size_t i = 0; i < schema.size(); ++i) {
      bits_.push_back(Questions::create(problem.questions[i], schema[i].size())->width());
    }
  }

  std::vector<std::vector<GroupWeight>> all() {
    std::set<Set> whole;
    std::set<Set> needed;
    std::set<std::uint32_t> touched;
    for (const WeightedProduct& product : problem_.products) {
      Set set;
      for (const ProductFunction::Part& part : product.function.parts) set.push_back(part.attribute);
      if (width(set) > SampledChannel::kMaxWidth) return {};
      touched.insert(set.begin(), set.end());
      for (std::size_t some = 1; some < std::size_t{1} << set.size(); ++some) {
        Set subset;
        for (std::size_t i = 0; i < set.size(); ++i) {
          if ((some >> i & 1U) != 0) subset.push_back(set[i]);
        }
        needed.insert(std::move(subset));
      }
      whole.insert(std::move(set));
    }
    whole.erase(Set{});
    for (const Set& set : needed) {
      if (width(set) == set.size()) add_orbit(GroupKind::kSingle, set);
      if (width(set) > 1) add_orbit(GroupKind::kRaw, set);
    }
    add_large(whole);
    add_any(touched);
    return groups_ > kMostGroups || lists_.size() > kMostLists ? std::vector<std::vector<GroupWeight>>{} : lists_;
  }

 private:
  std::size_t width(const Set& set) const {
    std::size_t width = 0;
    for (const std::uint32_t attribute : set) width += bits_[attribute];
    return width;
  }
  bool all_differ() const { return std::set(problem_.alike.begin(), problem_.alike.end()).size() == schema_.size(); }

  // Adds groups on all sets with as many attributes of each kind as `set`.
  void add_orbit(GroupKind kind, const Set& set) {
    std::vector<std::size_t> classes;
    for (const std::uint32_t attribute : set) classes.push_back(problem_.alike[attribute]);
    std::ranges::sort(classes);
    std::vector<GroupWeight> list;
    if (classes.front() == classes.back()) {
      Set members;
      for (std::uint32_t i = 0; i < schema_.size(); ++i) {
        if (problem_.alike[i] == classes.front()) members.push_back(i);
      }
      list.push_back(group(kind, set.size(), std::move(members)));
    } else {
      Set chosen;
      choose(kind, classes, chosen, list);
    }
    add(std::move(list));
  }

  void choose(GroupKind kind, const std::vector<std::size_t>& classes, Set& chosen, std::vector<GroupWeight>& list) {
    const std::size_t i = chosen.size();
    if (i == classes.size()) {
      Set set = chosen;
      std::ranges::sort(set);
      list.push_back(group(kind, i, std::move(set)));
      return;
    }
    const bool again = i > 0 && classes[i] == classes[i - 1];
    for (std::uint32_t a = again ? chosen.back() + 1 : 0; a < schema_.size() && list.size() <= kMostGroups; ++a) {
      if (problem_.alike[a] != classes[i]) continue;
      chosen.push_back(a);
      choose(kind, classes, chosen, list);
      chosen.pop_back();
    }
  }

  GroupWeight group(GroupKind kind, std::size_t size, Set attributes) const {
    if (attributes.size() == schema_.size()) attributes.clear();
    return {kind, static_cast<std::uint32_t>(size), 1, std::move(attributes), {}};
  }

  void add(std::vector<GroupWeight> list) {
    const GroupWeight& first = list.front();
    if (!known_.emplace(first.kind, first.size, first.attributes).second) return;
    groups_ += list.size();
    lists_.push_back(std::move(list));
  }

  // Adds groups on unions of the sets that queries are about, the smallest first. If some attributes are alike, there
  // would be too many unions, so add_any() adds groups instead.
  void add_large(const std::set<Set>& whole) {
    if (!all_differ()) return;
    std::set<std::pair<std::size_t, Set>> found;
    for (const Set& set : whole) found.emplace(width(set), set);
    const std::size_t most = found.size() + kMostUnions;
    for (auto next = found.begin(); next != found.end() && found.size() < most; ++next) {
      for (const Set& set : whole) {
        Set both;
        std::ranges::set_union(next->second, set, std::back_inserter(both));
        if (both.size() > next->second.size() && width(both) <= useful_) found.emplace(width(both), std::move(both));
        if (found.size() >= most) break;
      }
    }
    for (const auto& [bits, set] : found) {
      if (bits > 1 && bits <= useful_) add({group(GroupKind::kRaw, set.size(), set)});
      if (bits == set.size() && bits >= 3 && bits <= useful_ + 1) add({group(GroupKind::kEven, set.size(), set)});
    }
  }

  // Adds groups on attributes with one-bit questions: on any of these attributes, and on any of these attributes of one
  // kind.
  void add_any(const std::set<std::uint32_t>& touched) {
    std::set<Set> choices;
    Set all;
    const bool differ = all_differ();
    for (std::uint32_t i = 0; i < schema_.size(); ++i) {
      if (bits_[i] == 1 && (!differ || touched.contains(i))) all.push_back(i);
    }
    choices.insert(all);
    for (const std::size_t number : std::set(problem_.alike.begin(), problem_.alike.end())) {
      Set members;
      std::ranges::copy_if(all, std::back_inserter(members), [&](auto i) { return problem_.alike[i] == number; });
      choices.insert(std::move(members));
    }
    std::size_t most = 0;
    for (const WeightedProduct& product : problem_.products) most = std::max(most, product.function.parts.size());
    for (const Set& choice : choices) {
      for (std::size_t size = 2; size <= std::min(choice.size(), useful_ + 1); ++size) {
        if (size <= useful_) add({group(GroupKind::kRaw, size, choice)});
        if (size >= 3 && most >= 2) add({group(GroupKind::kEven, size, choice)});
      }
    }
  }

  const Schema& schema_;
  const SetProblem& problem_;
  std::size_t useful_ = 0;
  std::vector<std::uint32_t> bits_;
  std::vector<std::vector<GroupWeight>> lists_;
  std::set<std::tuple<GroupKind, std::uint32_t, Set>> known_;
  std::size_t groups_ = 0;
};

}  // namespace

std::vector<std::vector<GroupWeight>> groups_for(const Schema& schema, const SetProblem& problem, double epsilon) {
  return GroupLists(schema, problem, epsilon).all();
}

}  // namespace hearsay::planner
