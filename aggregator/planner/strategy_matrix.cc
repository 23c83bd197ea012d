#include "aggregator/planner/strategy_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/base/try.h"
#include "common/privacy/exponential.h"

namespace hearsay::planner {
namespace {

constexpr std::int64_t kUnits = std::int64_t{1} << 32U;

// The least and the largest value that an entry of an output may have.
struct EntryRange {
  std::int64_t least;
  std::int64_t most;
};

// Returns the largest integer below 2^32 that is certain to be at most e^ε·least. The search downwards starts at a
// floating-point estimate.
std::int64_t largest_allowed(std::int64_t least, const Rational& epsilon) {
  auto most = static_cast<std::int64_t>(
      std::min(static_cast<double>(least) * std::exp(epsilon.approximate()) + 2, static_cast<double>(kUnits - 1)));
  const auto allowed = [&](std::int64_t entry) {
    return compare_with_exp(static_cast<Uint128>(entry), static_cast<Uint128>(least), epsilon) <= 0;
  };
  while (most > least && !allowed(most)) --most;
  return most;
}

// Makes a record's entries add up to 2^32. Spreads the change evenly. Returns false if there is no room.
bool balance(const std::vector<EntryRange>& ranges, std::vector<std::int64_t>& entries) {
  std::int64_t missing = kUnits;
  for (const std::int64_t entry : entries) missing -= entry;
  const auto room = [&](std::size_t k) {
    return missing > 0 ? ranges[k].most - entries[k] : entries[k] - ranges[k].least;
  };
  while (missing != 0) {
    std::int64_t movable = 0;
    for (std::size_t k = 0; k < entries.size(); ++k) movable += room(k) > 0 ? 1 : 0;
    if (movable == 0) return false;
    const std::int64_t share = std::max<std::int64_t>(1, std::abs(missing) / movable);
    for (std::size_t k = 0; k < entries.size() && missing != 0; ++k) {
      const std::int64_t step = std::min({share, room(k), std::abs(missing)});
      const std::int64_t change = missing > 0 ? step : -step;
      entries[k] += change;
      missing -= change;
    }
  }
  return true;
}

}  // namespace

Result<StrategySpec> rounded_strategy(const StrategySets& strategy, const Epsilon& epsilon) {
  constexpr double kNegligible = 1e-6;
  HEARSAY_TRY(const Rational bound, Rational::create(epsilon.num(), epsilon.den()));
  std::vector<EntryRange> ranges;
  std::vector<std::size_t> kept;
  const double largest =
      strategy.weights.empty() ? 0 : *std::max_element(strategy.weights.begin(), strategy.weights.end());
  for (std::size_t k = 0; k < strategy.sets.size(); ++k) {
    if (strategy.weights[k] < kNegligible * largest) continue;
    // Rounds `least` upwards. A smaller `least` would make the largest entries, e^ε·least, too small for a record's
    // entries to add up to 1.
    const auto least = std::max<std::int64_t>(1, std::llround(std::ceil(std::ldexp(strategy.weights[k], 32))));
    ranges.push_back({least, largest_allowed(least, bound)});
    kept.push_back(k);
  }
  const std::size_t records = strategy.sets.empty() ? 0 : strategy.sets.front().size();
  StrategySpec spec;
  spec.shifts = strategy.shifts;
  spec.outputs = static_cast<std::uint32_t>(kept.size() * (strategy.shifts ? records : 1));
  spec.matrix.reserve(records * kept.size());
  // Without shifts each record has a law of its own. With shifts all records share one law: the entries of all rows
  // together.
  const std::size_t laws = strategy.shifts ? 1 : records;
  for (std::size_t law = 0; law < laws; ++law) {
    std::vector<std::int64_t> entries;
    std::vector<EntryRange> of;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      for (std::size_t x = law; x < (strategy.shifts ? records : law + 1); ++x) {
        entries.push_back(strategy.sets[kept[k]][x] ? ranges[k].most : ranges[k].least);
        of.push_back(ranges[k]);
      }
    }
    if (!balance(of, entries)) {
      return Error{ErrorCode::kInvalidArgument, "the strategy's probabilities do not add up to 1 for every record"};
    }
    for (const std::int64_t entry : entries) spec.matrix.push_back(static_cast<std::uint32_t>(entry));
  }
  return spec;
}

}  // namespace hearsay::planner
