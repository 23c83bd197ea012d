#include "aggregator/estimator/sampled_error_law.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace hearsay::estimator {
namespace {

struct Asked {
  std::vector<double> phi;
  std::vector<double> counts;
  double gamma;
  double swing;  // the largest φ minus the least φ
  double reports;
};

void collect_singles(const SampledView& view, std::span<const double> g, std::vector<Asked>& all) {
  for (const CoordinateSet& set : view.sets()) {
    if (set.single_gamma == 0) continue;
    for (std::size_t slot = set.slot; slot < set.slot + set.size; ++slot) {
      const double reports = view.singles(slot);
      if (g[slot] == 0 || reports == 0) continue;
      const double phi = g[slot] * set.single_gamma / view.information(slot);
      const double bias = std::clamp(set.single_gamma * view.mean(slot), -1.0, 1.0);
      all.push_back({{phi, -phi},
                     {reports * (1 + bias) / 2, reports * (1 - bias) / 2},
                     set.single_gamma,
                     2 * std::abs(phi),
                     reports});
    }
  }
}

// Appends the patterns that have at most 2^8 answers. Returns true if these are all patterns.
bool collect_patterns(const SampledView& view, std::span<const double> g, std::vector<Asked>& all) {
  constexpr std::uint32_t kMaxWidth = 8;
  bool is_complete = true;
  for (const SampledView::Pattern& pattern : view.patterns()) {
    if (pattern.width > kMaxWidth) {
      is_complete = false;
      continue;
    }
    std::vector<std::uint32_t> masks;
    std::vector<double> coefficients;
    for (const SampledView::Term& term : pattern.terms) {
      masks.push_back(term.mask);
      coefficients.push_back(g[term.slot] * pattern.gamma / view.information(term.slot));
    }
    std::vector<std::uint32_t> answers(std::size_t{1} << pattern.width);
    std::iota(answers.begin(), answers.end(), 0U);
    std::vector<double> counts(answers.size(), 0);
    for (std::size_t i = 0; i < pattern.answers.size(); ++i) counts[pattern.answers[i]] += pattern.counts[i];
    std::vector<double> phi = character_sums(masks, coefficients, answers, pattern.width);
    const auto [low, high] = std::ranges::minmax(phi);
    all.push_back({std::move(phi), std::move(counts), pattern.gamma, high - low, pattern.reports});
  }
  return is_complete;
}

}  // namespace

ErrorLaw sampled_error_law(const SampledView& view, std::span<const double> g, double variance, double reports,
                           bool is_all, MovedPeople moved) {
  constexpr double kMuch = 0.1;
  constexpr std::size_t kMost = 64;
  std::vector<Asked> all;
  bool is_complete = is_all && std::ranges::all_of(view.sets(), &CoordinateSet::by_coordinate);
  collect_singles(view, g, all);
  is_complete = collect_patterns(view, g, all) && is_complete;
  const auto is_much = [&](const Asked& asked) { return asked.swing * asked.swing > kMuch * kMuch * variance; };
  std::ranges::sort(all, std::ranges::greater(), &Asked::swing);
  const auto much = static_cast<std::size_t>(std::ranges::count_if(all, is_much));
  const std::size_t described = std::min(much, kMost);
  ErrorLaw law;
  for (std::size_t i = 0; i < described; ++i) {
    const auto count = i == moved.rank ? moved.count : 0;
    law.add_answers(all[i].phi, all[i].counts, all[i].gamma, all[i].reports / reports, count);
  }
  // If the law describes all errors, an estimated variance above the law's own variance is due to chance. The code then
  // adds no normal part.
  if (!is_complete || described < all.size()) law.add_gaussian(std::max(0.0, variance - law.variance()));
  return law;
}

}  // namespace hearsay::estimator
