#include "aggregator/estimator/sampled_estimate.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "aggregator/estimator/answer.h"
#include "aggregator/estimator/sampled/sampled_bound.h"
#include "aggregator/estimator/sampled/sampled_variance.h"
#include "aggregator/estimator/sampled/sampled_view.h"
#include "aggregator/estimator/sampled_error_law.h"
#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

struct Question {
  SampledView view;
  std::vector<double> g;
};

// Returns the sets of attributes on which the query has coordinates, the largest sets first. Usually the fewest reports
// ask about the largest sets. So a set without reports is found early, before millions of sets are made.
Result<std::vector<std::vector<std::uint32_t>>> sets_of(const SampledIndex& index, const Characters& characters,
                                                        const compiler::LinearQuery& query, compiler::Work& work) {
  constexpr std::uint64_t kStepsPerSet = 128;
  constexpr std::size_t kLookedAt = 64;
  std::vector<std::vector<std::uint32_t>> sets;
  CharacterIndex::Ranks range{0, 0};
  for (auto weight = query.weights.rbegin(); weight != query.weights.rend(); ++weight) {
    if (weight->coordinate - range.first < range.size) continue;
    std::vector<std::uint32_t> attributes = characters.attributes(weight->coordinate);
    range = characters.coordinates_on(attributes);
    if (sets.size() < kLookedAt) {
      HEARSAY_CHECK_OK(check_asked(index, attributes, work));
    }
    work.spend(kStepsPerSet);
    work.hold(2 * sizeof(attributes) + attributes.size() * sizeof(std::uint32_t),
              "ask about fewer attributes, or a sum or count of fewer");
    sets.push_back(std::move(attributes));
  }
  return sets;
}

Result<Question> ask(const SampledIndex& index, const Characters& characters, const compiler::LinearQuery& query,
                     compiler::Work& work) {
  HEARSAY_TRY(auto sets, sets_of(index, characters, query, work));
  std::ranges::reverse(sets);
  std::set<std::uint32_t> touched;
  for (const auto& on : sets) touched.insert(on.begin(), on.end());
  std::vector<std::uint32_t> attributes(touched.begin(), touched.end());
  constexpr std::size_t kMaxQueryAttributes = 24;
  if (attributes.size() > kMaxQueryAttributes) {
    return Error{ErrorCode::kLimitExceeded, "the query is over more than 24 attributes"};
  }
  std::vector<std::uint32_t> axes;
  for (const auto& on : sets) {
    axes.push_back(0);
    for (const std::uint32_t attribute : on) {
      axes.back() |= 1U << (std::ranges::lower_bound(attributes, attribute) - attributes.begin());
    }
  }
  HEARSAY_TRY(SampledView view, SampledView::of_characters(index, std::move(attributes), axes, work));
  std::vector<double> g(view.slots(), 0);
  const CoordinateSet* set = nullptr;
  for (const compiler::LinearQuery::Weight& weight : query.weights) {
    if (set == nullptr || weight.coordinate - set->first >= set->size) {
      set = &*(std::ranges::upper_bound(view.sets(), weight.coordinate, {}, &CoordinateSet::first) - 1);
    }
    g[set->slot + (weight.coordinate - set->first)] += weight.value;
  }
  return Question{std::move(view), std::move(g)};
}

Result<Question> ask(const SampledIndex& index, const Literals& /*literals*/, const compiler::LinearQuery& query,
                     compiler::Work& work) {
  std::map<std::uint32_t, double> weights;
  for (const compiler::LinearQuery::Weight& weight : query.weights) weights[weight.coordinate] += weight.value;
  std::vector<std::uint32_t> coordinates;
  std::vector<double> g;
  for (const auto& [coordinate, value] : weights) {
    coordinates.push_back(coordinate);
    g.push_back(value);
  }
  HEARSAY_TRY(SampledView view, SampledView::of_literals(index, coordinates, work));
  return Question{std::move(view), std::move(g)};
}

struct ValueAndVariance {
  double value;
  double variance;
};

// For average-case queries the sampling part contains the whole variance of ⟨a(x), g⟩ among the reporters. This
// variance has two parts. The variance between the classes, Var_x f = ω(1-ω), is not part of the error. The variance
// within the classes is the instance term, (ω·σ₁² + (1-ω)·σ₀²)/n, estimated from the reports themselves.
ValueAndVariance value_and_variance(const Question& question, const compiler::LinearQuery& query, double reports,
                                    compiler::Work& work) {
  const auto& [view, g] = question;
  VarianceParts parts;
  double diagonal_noise = 0;
  double value = query.offset;
  std::vector<double> components;
  std::vector<double> norms;
  for (const CoordinateSet& set : view.sets()) {
    double component = 0;
    double norm = 0;
    for (std::size_t slot = set.slot; slot < set.slot + set.size; ++slot) {
      if (g[slot] == 0) continue;
      const double square = g[slot] * g[slot];
      const VarianceParts of_coordinate = coordinate_variance(view, set, slot);
      diagonal_noise += square * of_coordinate.noise;
      parts.sampling += square * of_coordinate.sampling;
      component += g[slot] * view.mean(slot);
      norm += square;
    }
    components.push_back(component);
    norms.push_back(norm);
    value += component;
  }
  parts.noise = diagonal_noise;
  for (const SampledView::Pattern& pattern : view.patterns()) {
    std::vector<double> of_terms;
    work.spend(16 * (pattern.terms.size() + pattern.answers.size()));
    for (const SampledView::Term& term : pattern.terms) of_terms.push_back(g[term.slot]);
    const VarianceParts products = pattern_variance(view, pattern, of_terms);
    parts.noise += products.noise;
    parts.sampling += products.sampling;
  }
  parts.sampling -= block_sampling(view, components, norms);
  const double ones = std::clamp(value, 0.0, 1.0);
  return {value, total_variance(parts, diagonal_noise, population_variance(query, ones), reports)};
}

CoordinateMeans means_of(const SampledView& view, std::uint64_t first, double reports) {
  CoordinateMeans means{static_cast<std::uint32_t>(first), {}, {}};
  for (const CoordinateSet& set : view.sets()) {
    for (std::size_t slot = set.slot; slot < set.slot + set.size; ++slot) {
      const double mean = view.mean(slot);
      VarianceParts parts = coordinate_variance(view, set, slot);
      const double square = std::clamp(mean * mean - 1 / view.information(slot), 0.0, 1.0);
      if (!set.by_coordinate) parts.sampling -= set.kappa * square;
      means.means.push_back(mean);
      means.variances.push_back(total_variance(parts, parts.noise, 1 - square, reports));
    }
  }
  return means;
}

// Returns true if the normal interval misses ω too often for one of five populations: the population that the tally
// suggests, and four in which one or two people have another answer. The others are tried for two reasons. First, if
// the errors lie on a lattice, one person with another answer shifts the lattice. Second, an answer that no report gave
// adds no spread to the tally. On a lattice, the people who change are in the group that moves the estimate most.
// Without a lattice, one person changes, in this group or in the group that moves the estimate second most.
Result<bool> has_few_reports(const Question& question, const compiler::LinearQuery& query,
                             const ValueAndVariance& answer, std::uint64_t reports, double confidence) {
  // With fewer than kFew reports, each report makes up more than an eighth of the answer.
  constexpr std::uint64_t kFew = 8;
  constexpr std::array<MovedPeople, 5> kOnLattice{{{0, 0}, {1, 0}, {-1, 0}, {2, 0}, {-2, 0}}};
  constexpr std::array<MovedPeople, 5> kElsewhere{{{0, 0}, {1, 0}, {-1, 0}, {1, 1}, {-1, 1}}};
  if (query.weights.empty()) return false;
  if (reports < kFew) return true;
  const auto n = static_cast<double>(reports);
  // ω(1-ω)/n, the variance among the people, is not part of the error.
  const double falls = variance_falls(query, answer.value, n);
  const bool is_all = query.guarantee == compiler::Guarantee::kWorstCase;
  bool on_lattice = true;
  for (std::size_t i = 0; i < kOnLattice.size(); ++i) {
    const MovedPeople moved = on_lattice ? kOnLattice[i] : kElsewhere[i];
    const ErrorLaw law = sampled_error_law(question.view, question.g, answer.variance, n, is_all, moved);
    HEARSAY_TRY(const bool few, covers_too_seldom(law, answer.variance, falls, confidence));
    if (few) return true;
    if (law.is_normal()) break;
    on_lattice = law.lattice_step() > 0;
  }
  return false;
}

}  // namespace

Result<Estimate> sampled_estimate(const SampledIndex& index, const compiler::LinearQuery& query, double confidence,
                                  compiler::Work& work) {
  for (const compiler::LinearQuery::Weight& weight : query.weights) {
    if (weight.coordinate >= index.channel().dimension()) {
      return Error{ErrorCode::kInvalidArgument, "the query was compiled for another task"};
    }
  }
  const Arrangement::Kind& kind = index.task().arrangement().kind();  // tasks do not combine `explicit` with `sampled`
  const auto* characters = std::get_if<Characters>(&kind);
  HEARSAY_TRY(const Question question, characters != nullptr ? ask(index, *characters, query, work)
                                                             : ask(index, std::get<Literals>(kind), query, work));
  const auto [value, variance] = value_and_variance(question, query, static_cast<double>(index.reports()), work);
  HEARSAY_TRY(const SampledBounds bounds, sampled_bounds(question.view, question.g, query, index.reports(),
                                                         beta_without_class_means(query, confidence)));
  const double total = variance + class_mean_variance(query, value);
  HEARSAY_TRY(const bool few, has_few_reports(question, query, {value, total}, index.reports(), confidence));
  return make_answer(query,
                     {.value = value,
                      .variance = total,
                      .guaranteed_half_width = bounds.guaranteed_half_width,
                      .influence = bounds.influence,
                      .few_reports = few},
                     index.reports(), confidence);
}

Result<CoordinateMeans> sampled_means_on_characters(const SampledIndex& index,
                                                    std::span<const std::uint32_t> attributes, compiler::Work& work) {
  const std::uint32_t all = (1U << attributes.size()) - 1;
  HEARSAY_TRY(const SampledView view,
              SampledView::of_characters(index, {attributes.begin(), attributes.end()}, {&all, 1}, work));
  return means_of(view, view.sets().front().first, static_cast<double>(index.reports()));
}

Result<CoordinateMeans> sampled_means_on_literals(const SampledIndex& index, std::uint32_t attribute,
                                                  compiler::Work& work) {
  const AttributeBlock& block = std::get<Literals>(index.task().arrangement().kind()).blocks()[attribute];
  std::vector<std::uint32_t> coordinates;
  for (std::size_t i = 0; i < block.size; ++i) coordinates.push_back(static_cast<std::uint32_t>(block.offset + i));
  HEARSAY_TRY(const SampledView view, SampledView::of_literals(index, coordinates, work));
  return means_of(view, block.offset, static_cast<double>(index.reports()));
}

}  // namespace hearsay::estimator
