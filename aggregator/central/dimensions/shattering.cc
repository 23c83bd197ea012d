#include "aggregator/central/dimensions/shattering.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <utility>

#include "common/base/int128.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

using QueryList = std::vector<std::uint32_t>;
using Cuts = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // low, high

std::size_t log2_floor(std::size_t count) { return static_cast<std::size_t>(std::bit_width(count)) - 1; }

std::vector<std::uint32_t> distinct_weights(std::span<const std::uint32_t> weights) {
  std::vector<std::uint32_t> values(weights.begin(), weights.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Returns the cuts of one element that the search needs. Of the cuts at which the same queries are 1, the search needs
// only the cut at which the most queries are 0.
Cuts cuts_of(std::span<const std::uint32_t> weights, std::uint32_t gap) {
  const std::vector<std::uint32_t> values = distinct_weights(weights);
  Cuts cuts;
  for (const std::uint32_t low : values) {
    const auto high = std::lower_bound(values.begin(), values.end(), low + gap);
    if (high == values.end()) break;
    if (!cuts.empty() && cuts.back().second == *high) cuts.pop_back();
    cuts.emplace_back(low, *high);
  }
  return cuts;
}

// Searches sets of elements in ascending order, depth first. For each pattern, the search keeps the queries that show
// the pattern.
class Search {
 public:
  // cuts[x] lists the pairs (low, high) at which element x may be cut.
  Search(const QueryClass& queries, const std::vector<Cuts>& cuts, std::uint64_t& work)
      : queries_(queries), cuts_(cuts), work_(work) {}

  // Replaces `best` if the search finds a larger set.
  void run(Shattering& best) {
    best_ = &best;
    QueryList all(queries_.size());
    std::iota(all.begin(), all.end(), 0U);
    extend(0, {all});
  }

 private:
  bool done() const {
    return work_ > kMostShatteringWork ||
           best_->dimension() == std::min(queries_.domain(), log2_floor(queries_.size()));
  }

  void extend(std::size_t first, const std::vector<QueryList>& patterns) {
    std::size_t fewest = queries_.size();
    for (const QueryList& list : patterns) fewest = std::min(fewest, list.size());
    const std::size_t further = log2_floor(fewest);
    for (std::size_t x = first; x < queries_.domain(); ++x) {
      const std::size_t left = std::min(further, queries_.domain() - x);
      if (done() || chosen_.size() + left <= best_->dimension()) return;
      for (const auto& [low, high] : cuts_[x]) {
        std::vector<QueryList> split;
        if (!cut(patterns, queries_.weights_of(x), low, high, split)) continue;
        chosen_.push_back({x, low, high});
        if (chosen_.size() > best_->dimension()) keep(split);
        extend(x + 1, split);
        chosen_.pop_back();
        if (done()) return;
      }
    }
  }

  // Adds one element, as the highest bit of the patterns. Returns false if some pattern has no query.
  bool cut(const std::vector<QueryList>& patterns, std::span<const std::uint32_t> weights, std::uint32_t low,
           std::uint32_t high, std::vector<QueryList>& split) {
    split.resize(2 * patterns.size());
    for (std::size_t b = 0; b < patterns.size(); ++b) {
      work_ += patterns[b].size();
      for (const std::uint32_t query : patterns[b]) {
        if (weights[query] <= low) split[b].push_back(query);
        if (weights[query] >= high) split[b + patterns.size()].push_back(query);
      }
      if (split[b].empty() || split[b + patterns.size()].empty()) return false;
    }
    return true;
  }

  void keep(const std::vector<QueryList>& patterns) {
    best_->elements = chosen_;
    best_->queries.clear();
    for (const QueryList& list : patterns) best_->queries.push_back(list.front());
  }

  const QueryClass& queries_;
  const std::vector<Cuts>& cuts_;
  std::uint64_t& work_;
  Shattering* best_ = nullptr;
  std::vector<ShatteredElement> chosen_;
};

Result<void> check_work(std::uint64_t work) {
  if (work <= kMostShatteringWork) return {};
  return Error{ErrorCode::kDomainTooLarge, "the class is too large to search all sets of elements that it may shatter"};
}

std::vector<std::uint32_t> all_weights(const QueryClass& queries) {
  std::set<std::uint32_t> values;
  for (std::size_t x = 0; x < queries.domain(); ++x) {
    values.insert(queries.weights_of(x).begin(), queries.weights_of(x).end());
  }
  return {values.begin(), values.end()};
}

}  // namespace

Result<Shattering> fat_shattering(const QueryClass& queries, const Rational& gamma) {
  if (gamma.num() == 0 || Uint128{gamma.num()} * 2 > gamma.den()) {
    return Error{ErrorCode::kInvalidArgument, "gamma must lie in (0, 1/2]"};
  }
  const Uint128 width = Uint128{gamma.num()} * 2 * queries.unit();
  const auto gap = static_cast<std::uint32_t>((width + gamma.den() - 1) / gamma.den());
  std::vector<Cuts> cuts;
  for (std::size_t x = 0; x < queries.domain(); ++x) cuts.push_back(cuts_of(queries.weights_of(x), gap));
  Shattering best{{}, {0}};
  std::uint64_t work = 0;
  Search(queries, cuts, work).run(best);
  HEARSAY_CHECK_OK(check_work(work));
  return best;
}

Result<Shattering> level_shattering(const QueryClass& queries, std::uint32_t gap) {
  std::uint64_t work = 0;
  return level_shattering(queries, gap, work);
}

Result<Shattering> level_shattering(const QueryClass& queries, std::uint32_t gap, std::uint64_t& work) {
  if (gap < 1 || gap > queries.unit()) {
    return Error{ErrorCode::kInvalidArgument, "the gap between two levels must lie in (0, 1]"};
  }
  Shattering best{{}, {0}};
  for (const std::uint32_t low : all_weights(queries)) {
    if (low + gap > queries.unit()) break;
    const std::vector<Cuts> cuts(queries.domain(), Cuts{{low, low + gap}});
    Search(queries, cuts, work).run(best);
    HEARSAY_CHECK_OK(check_work(work));
  }
  return best;
}

Result<std::vector<std::uint32_t>> weight_gaps(const QueryClass& queries) {
  constexpr std::size_t kMostWeights = std::size_t{1} << 12U;
  const std::vector<std::uint32_t> values = all_weights(queries);
  if (values.size() > kMostWeights) {
    return Error{ErrorCode::kDomainTooLarge, "the class has more than 2^12 different weights: choose a smaller unit"};
  }
  std::set<std::uint32_t> gaps;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) gaps.insert(values[i] - values[j]);
  }
  return std::vector<std::uint32_t>(gaps.begin(), gaps.end());
}

}  // namespace hearsay::central
