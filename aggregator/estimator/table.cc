// Symbols are as in sampled_variance.h; c is a cell. The variance of a query needs sums over coordinates and over
// patterns. For a table, each of these sums is a function of the cell; see cell_weights.h.

#include "aggregator/estimator/table.h"

#include <algorithm>

#include "aggregator/estimator/cell_weights.h"
#include "aggregator/estimator/sampled/sampled_variance.h"
#include "aggregator/estimator/sampled/sampled_view.h"
#include "common/arrangement/arrangement.h"
#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

using CellFunction = CellWeights::CellFunction;

class SampledTable {
 public:
  SampledTable(const SampledView& view, const CellWeights& weights)
      : view_(view),
        weights_(weights),
        value_(weights.zero()),
        diagonal_noise_(weights.zero()),
        noise_(weights.zero()),
        sampling_(weights.zero()) {
    value_[0] = weights.offset();
  }

  void add_set(const CoordinateSet& set, compiler::Work& work) {
    CellFunction component;
    if (!set.by_coordinate) component = weights_.zero();
    norms_.push_back(0);
    for (std::size_t at = 0; at < set.size; ++at) {
      work.spend(weights_.steps_of(set.axes));
      const std::size_t masks = weights_.cube().masks(set.axes, at);
      weights_.add(set.axes, masks, view_.mean(set.slot + at), set.by_coordinate ? value_ : component);
      if (!set.by_coordinate) continue;
      const VarianceParts parts = coordinate_variance(view_, set, set.slot + at);
      weights_.add_square(set.axes, masks, parts.noise, diagonal_noise_);
      weights_.add_square(set.axes, masks, parts.sampling, sampling_);
    }
    if (set.by_coordinate) {
      components_.emplace_back();
      return;
    }
    for (std::size_t i = 0; i < component.size(); ++i) value_[i] += component[i];
    components_.push_back(weights_.at_cells(std::move(component)));
    norms_.back() = weights_.norm(set.axes);
    const VarianceParts parts = coordinate_variance(view_, set, set.slot);
    diagonal_noise_[0] += parts.noise * norms_.back();
    sampling_[0] += parts.sampling * norms_.back();
  }

  void add_pattern(const SampledView::Pattern& pattern, compiler::Work& work) {
    const std::vector<SampledView::Term>& terms = pattern.terms;
    if (terms.size() < 2) return;
    std::size_t masks = 0;
    std::vector<std::vector<double>> of_terms;
    for (const SampledView::Term& term : terms) {
      const CoordinateSet& set = view_.sets()[term.set];
      const std::size_t of_term = weights_.cube().masks(set.axes, term.slot - set.slot);
      of_terms.push_back(weights_.weights(set.axes, of_term));
      masks |= of_term;
    }
    std::vector<double> noise_of_signs;
    std::vector<double> sampling_of_signs;
    std::vector<double> g(terms.size());
    for (std::uint32_t s = 0; s < 1U << pattern.width; ++s) {
      work.spend(8 * (terms.size() + pattern.answers.size()));
      for (std::size_t t = 0; t < terms.size(); ++t) g[t] = of_terms[t][extract(s, terms[t].mask)];
      const VarianceParts parts = pattern_variance(view_, pattern, g);
      noise_of_signs.push_back(parts.noise);
      sampling_of_signs.push_back(parts.sampling);
    }
    weights_.add_function(pattern.axes, masks, std::move(noise_of_signs), noise_);
    weights_.add_function(pattern.axes, masks, std::move(sampling_of_signs), sampling_);
  }

  TableNumbers finish(double reports, compiler::Work& work) && {
    TableNumbers table{weights_.at_cells(std::move(value_)), {}};
    const std::vector<double> diagonal_noise = weights_.at_cells(std::move(diagonal_noise_));
    const std::vector<double> noise = weights_.at_cells(std::move(noise_));
    const std::vector<double> sampling = weights_.at_cells(std::move(sampling_));
    std::vector<double> components(components_.size(), 0);
    for (std::size_t cell = 0; cell < table.values.size(); ++cell) {
      work.spend(4 * (components.size() + view_.blocks().size()));
      for (std::size_t s = 0; s < components.size(); ++s) {
        if (!components_[s].empty()) components[s] = components_[s][cell];
      }
      const VarianceParts parts{diagonal_noise[cell] + noise[cell],
                                sampling[cell] - block_sampling(view_, components, norms_)};
      const double ones = std::clamp(table.values[cell], 0.0, 1.0);
      table.variances.push_back(total_variance(parts, diagonal_noise[cell], ones * (1 - ones), reports));
    }
    return table;
  }

 private:
  // Returns the bits of `from` at the places of the ones in `mask`, packed together.
  static std::uint32_t extract(std::uint32_t from, std::uint32_t mask) {
    std::uint32_t out = 0;
    for (std::uint32_t bit = 0; mask != 0; mask &= mask - 1, ++bit) {
      out |= ((from & mask & (~mask + 1)) != 0 ? 1U : 0U) << bit;
    }
    return out;
  }

  const SampledView& view_;
  const CellWeights& weights_;
  CellFunction value_;
  CellFunction diagonal_noise_;
  CellFunction noise_;  // all noise except the diagonal
  CellFunction sampling_;
  // f_T as a function of the cell, for each set T that is not normalised by coordinate.
  std::vector<std::vector<double>> components_;
  std::vector<double> norms_;
};

}  // namespace

Result<TableNumbers> laplace_table(const Task& task, const LaplaceSums& sums, std::span<const std::uint32_t> attributes,
                                   compiler::Work& work) {
  HEARSAY_TRY(const CellWeights weights, CellWeights::create(task, attributes, work));
  const auto& channel = std::get<LaplaceChannel>(task.channel().kind());
  const auto& characters = std::get<Characters>(task.arrangement().kind());
  CellFunction value = weights.zero();
  CellFunction variance = weights.zero();
  value[0] = weights.offset();
  for (std::uint32_t set = 1; set < 1U << attributes.size(); ++set) {
    const CharacterIndex::Ranks coordinates = characters.coordinates_on(weights.cube().attributes(set));
    for (std::size_t at = 0; at < coordinates.size; ++at) {
      work.spend(weights.steps_of(set));
      const std::size_t masks = weights.cube().masks(set, at);
      const std::uint64_t j = coordinates.first + at;
      weights.add(set, masks, sums.mean(j), value);
      weights.add_square(set, masks, channel.noise_variance(j) / static_cast<double>(sums.reports), variance);
    }
  }
  return TableNumbers{weights.at_cells(std::move(value)), weights.at_cells(std::move(variance))};
}

Result<TableNumbers> sampled_table(const SampledIndex& index, std::span<const std::uint32_t> attributes,
                                   compiler::Work& work) {
  HEARSAY_TRY(const CellWeights weights, CellWeights::create(index.task(), attributes, work));
  std::vector<std::uint32_t> sets;
  for (std::uint32_t set = 1; set < 1U << attributes.size(); ++set) sets.push_back(set);
  HEARSAY_TRY(const SampledView view,
              SampledView::of_characters(index, {attributes.begin(), attributes.end()}, sets, work));
  SampledTable table(view, weights);
  for (const CoordinateSet& set : view.sets()) table.add_set(set, work);
  for (const SampledView::Pattern& pattern : view.patterns()) table.add_pattern(pattern, work);
  return std::move(table).finish(static_cast<double>(index.reports()), work);
}

}  // namespace hearsay::estimator
