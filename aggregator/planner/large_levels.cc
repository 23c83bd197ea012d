// Symbols: B = the number of bits of a value; P_l = the probability that a report asks the level l. A prefix [0, a)
// cuts at most one node of 2^(l+1) values, at the part t = (a mod 2^(l+1))/2^(l+1) of the node. Take the prefix's means
// over the two halves of the node. Half the difference of these means is g = min(t, 1 - t).
//
// The matrix of the questions has the eigenvalue λ_l = P_l·2^(l+1-B) on the parities of level l. So over the 2^B bit
// patterns the energy of a function is Σ_l Σ g²/P_l, where the inner sum is over the nodes that the function cuts. For
// the range [a, b), a node that both ends cut has g_b - g_a in place of g. The square of g_b - g_a is at most g_a² +
// g_b². (The node of all values is such a node.) On bit patterns without a value the function may have any values. So
// its energy can only be lower.
//
// The score of a parity is Σ g/P_l, with signs, over the nodes that are cut. On bit patterns without a value, let the
// function have the values that give the least energy. Then the function is constant on nodes that neither an end nor
// the last value cuts. The function lies between 0 and 1 if 1/λ_l descends, since the inverse of the matrix then has no
// positive entry off its diagonal.

#include "aggregator/planner/large_levels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <variant>
#include <vector>

namespace hearsay::planner {
namespace {

// Returns 1/P_l by level l, where P_l is the probability that a report asks the level. Returns nothing unless each
// question is about one level, and each level is asked at least half as often as the level below.
std::optional<std::vector<double>> prices_of(const Questions& questions) {
  const auto* levels = std::get_if<LevelQuestions>(&questions.spec());
  if (levels == nullptr || questions.width() != 1 || levels->levels.size() != questions.value_bits()) {
    return std::nullopt;
  }
  std::vector<double> prices;
  for (const Questions::Member& member : questions.members()) {
    prices.push_back(static_cast<double>(questions.total_weight()) / member.weight);
    const std::size_t last = prices.size() - 1;
    if (last > 0 && prices[last] > 2 * prices[last - 1]) return std::nullopt;
  }
  return prices;
}

double cut_by(std::uint32_t end, std::uint32_t level) {
  const double part = std::ldexp(end & ((2U << level) - 1), -static_cast<int>(level + 1));
  return std::min(part, 1 - part);
}

// Returns Σ g²/P_l of the prefix [0, end) over the levels l below `top`. Symbols: top of file.
double energy_below(std::uint32_t top, std::uint32_t end, const std::vector<double>& prices) {
  double energy = 0;
  for (std::uint32_t level = 0; level < top; ++level) energy += std::pow(cut_by(end, level), 2) * prices[level];
  return energy;
}

struct Dearest {
  double energy = 0;
  std::uint32_t first = 0;
  std::uint32_t end = 1;
};

Dearest dearest_prefix(std::uint32_t values, const std::vector<double>& prices) {
  Dearest found;
  for (std::uint32_t end = 1; end < values; ++end) {
    const double energy = energy_below(static_cast<std::uint32_t>(prices.size()), end, prices);
    if (energy > found.energy) found = {energy, 0, end};
  }
  return found;
}

// Sorts all ends into bins by g at the highest level. Keeps in each bin the end with the largest energy over the levels
// below.
Dearest dearest_range(std::uint32_t values, const std::vector<double>& prices) {
  constexpr std::size_t kBins = 1024;
  constexpr double kWidth = 0.5 / kBins;
  const auto top = static_cast<std::uint32_t>(prices.size() - 1);
  std::array<Dearest, kBins + 1> bins{};
  for (std::uint32_t end = 1; end < values; ++end) {
    const double energy = energy_below(top, end, prices);
    Dearest& bin = bins[static_cast<std::size_t>(cut_by(end, top) / kWidth)];
    if (energy > bin.energy) bin = {energy, 0, end};
  }
  Dearest found = dearest_prefix(values, prices);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    for (std::size_t j = i; j < bins.size(); ++j) {
      if (bins[i].energy == 0 || bins[j].energy == 0) continue;
      const double apart = std::min(0.5, kWidth * static_cast<double>(j - i + 1));
      const double energy = bins[i].energy + bins[j].energy + apart * apart * prices[top];
      if (energy > found.energy) {
        found = {energy, std::min(bins[i].end, bins[j].end), std::max(bins[i].end, bins[j].end)};
      }
    }
  }
  // A mirrored end has the same energy. The only node that two ends in different halves of the bit patterns both cut is
  // the node of all values.
  const std::uint32_t patterns = 2U << top;
  if (found.end <= patterns / 2 && patterns - found.end < values) found.end = patterns - found.end;
  return found;
}

}  // namespace

std::optional<Indicator> dearest_by_levels(const Questions& questions, Indicators which) {
  const auto prices = prices_of(questions);
  if (!prices || which == Indicators::kLiterals) return std::nullopt;
  const bool of_ranges = which == Indicators::kRanges;
  const Dearest dearest =
      of_ranges ? dearest_range(questions.values(), *prices) : dearest_prefix(questions.values(), *prices);
  const bool has_free = questions.values() != 1U << questions.value_bits();
  const double cuts = (of_ranges ? 2 : 1) + (has_free ? 1 : 0);
  const double score = cuts / 2 * *std::max_element(prices->begin(), prices->end());
  return Indicator{dearest.first, dearest.end - 1, false, 0, dearest.energy, dearest.energy, dearest.energy, score};
}

}  // namespace hearsay::planner
