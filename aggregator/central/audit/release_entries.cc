// Releases that answer many queries at once.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

#include "aggregator/central/audit/entries.h"
#include "aggregator/central/audit/mirrored_mod.h"
#include "aggregator/central/cells/cell_release.h"
#include "aggregator/central/halfspaces/halfspace_release.h"
#include "aggregator/central/intervals/box_release.h"
#include "aggregator/central/intervals/interval_release.h"
#include "aggregator/central/parity/parity_release.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

// A difference of two tail probabilities that exceeds kRarest has a relative error far below kLawError in long double.
constexpr long double kRarest = 1e-8L;
constexpr long double kLawError = 1e-9L;

template <class Law>
std::vector<Outcome> likely_outcomes(const Law& first, const Law& second) {
  std::vector<Outcome> outcomes;
  for (const auto& [released, p] : first) {
    const auto other = second.find(released);
    if (p < kRarest || other == second.end() || other->second < kRarest) continue;
    outcomes.push_back(outcome_from(p, other->second, kLawError));
  }
  return outcomes;
}

// The enumerated law bounds the loss of a pair from below, and `most` bounds it from above.
template <class Law, class LawOf, class MostOf>
AuditedMechanism bounded(const AuditSettings& settings, LawOf law_of, MostOf most) {
  const auto laws = remembered<Published<Law>>(
      [law_of](const Rows& rows) { return published_law<Law>(attempted([&] { return law_of(rows); })); });
  const LossOf loss = [laws, most](const Rows& first, const Rows& second) -> Result<PairLoss> {
    HEARSAY_TRY(const Published<Law>* a, laws(first));
    HEARSAY_TRY(const Published<Law>* b, laws(second));
    if (auto told = loss_of_errors(*a, *b)) return *std::move(told);
    PairLoss found;
    found.outcomes = likely_outcomes(std::get<Law>(*a), std::get<Law>(*b));
    HEARSAY_TRY(found.most, most(first, second));
    return found;
  };
  return described(settings, kReplace, false, Evidence::kBounded, loss);
}

// Returns the largest difference, over r, between the numbers of records that the two databases have in [0, r].
std::uint64_t prefix_distance(const Rows& first, const Rows& second, std::uint32_t domain) {
  const std::vector<std::uint64_t> a = histogram_of(first, domain);
  const std::vector<std::uint64_t> b = histogram_of(second, domain);
  std::int64_t prefix = 0;
  std::int64_t largest = 0;
  for (std::uint32_t value = 0; value < domain; ++value) {
    prefix += static_cast<std::int64_t>(a[value]) - static_cast<std::int64_t>(b[value]);
    largest = std::max(largest, std::abs(prefix));
  }
  return static_cast<std::uint64_t>(largest);
}

// Returns questions·distance/scale. This is the loss of all noisy counts together, if `distance` is the most by which a
// count moves, and if there is one count for each question.
Result<Rational> counts_loss(std::uint64_t questions, std::uint64_t distance, const DiscreteLaplace& noise) {
  return whole(questions * distance).divided_by(noise.scale());
}

Made intervals(const AuditSettings& settings) {
  if (settings.domain < 2 || !std::has_single_bit(settings.domain)) {
    return Error{ErrorCode::kInvalidArgument, "intervals are audited on 2, 4, 8, ... values"};
  }
  HEARSAY_TRY(const Grid grid, Grid::create(0, settings.domain, bits_for(settings.domain)));
  HEARSAY_TRY(const Rational error, Rational::create(4, 5));
  HEARSAY_TRY(const IntervalRelease mechanism, IntervalRelease::create(grid, settings.built, error));
  const auto law = [mechanism](const Rows& rows) { return mechanism.law({rows.begin(), rows.end()}); };
  const auto most = [search = mechanism.search(), domain = settings.domain](const Rows& first, const Rows& second) {
    return counts_loss(search.most_questions(), prefix_distance(first, second, domain), search.noise);
  };
  return bounded<std::map<std::vector<std::uint64_t>, long double>>(settings, law, most);
}

constexpr std::uint64_t kBoxPieces = 2;

// A changed row leaves one slab and enters another. In each of the two slabs the row moves the counts of the searches,
// and the slab's size.
Result<Rational> box_bound(const BoxRelease& mechanism, std::uint32_t side, const Rows& first, const Rows& second) {
  const std::uint64_t outer_searched = (kBoxPieces - 1) * bits_for(side);
  constexpr std::uint64_t kInnerSearched =
      kBoxPieces - 1;  // one question a search, since the second dimension has one bit
  Rows common;
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(common));
  const std::uint64_t changes = first.size() - common.size();
  const auto along = [](const Rows& rows) {
    Rows cells;
    for (const std::uint32_t row : rows) cells.push_back(row / 2);
    return cells;
  };
  const std::uint64_t moved = prefix_distance(along(first), along(second), side);
  HEARSAY_TRY(const Rational outer, counts_loss(outer_searched, moved, mechanism.noise(0)));
  const std::uint64_t touched = changes == 1 && moved == 0 ? kInnerSearched : 2 * changes * (kInnerSearched + 1);
  HEARSAY_TRY(const Rational inner, counts_loss(touched, 1, mechanism.noise(1)));
  return outer.plus(inner);
}

// The value v of a record is the cell (v div 2, v mod 2) of a strip.
Made boxes(const AuditSettings& settings) {
  const std::uint32_t side = settings.domain / 2;
  if (settings.domain < 4 || !std::has_single_bit(settings.domain)) {
    return Error{ErrorCode::kInvalidArgument, "boxes are audited on 4, 8, 16, ... values, the cells of a strip"};
  }
  HEARSAY_TRY(const Grid along, Grid::create(0, side, bits_for(side)));
  HEARSAY_TRY(const Grid across, Grid::create(0, 2, 1));
  HEARSAY_TRY(const BoxRelease mechanism, BoxRelease::create({along, across}, settings.built, kBoxPieces));
  const auto law = [mechanism](const Rows& rows) {
    std::vector<std::vector<std::uint64_t>> columns(2);
    for (const std::uint32_t row : rows) {
      columns[0].push_back(row / 2);
      columns[1].push_back(row % 2);
    }
    return mechanism.law(columns);
  };
  const auto most = [mechanism, side](const Rows& first, const Rows& second) {
    return box_bound(mechanism, side, first, second);
  };
  return bounded<BoxRelease::Law>(settings, law, most);
}

// The records are points of the plane, in opposite pairs. Three random projections map the plane to a line.
Made halfspaces(const AuditSettings& settings) {
  if (settings.domain > 4) return Error{ErrorCode::kInvalidArgument, "halfspaces are audited on at most 4 points"};
  HEARSAY_TRY(const HalfspaceNet net, HalfspaceNet::create(1, 1));
  HEARSAY_TRY(HalfspaceProjections projections, HalfspaceProjections::create(2, 3, net, system_bit_source()));
  HEARSAY_TRY(const HalfspaceRelease mechanism, HalfspaceRelease::create(std::move(projections), settings.built));
  const auto statistic = [mechanism](const Rows& rows) {
    static constexpr double kPoints[4][2] = {{1, 0.5}, {-1, -0.5}, {0.25, -1}, {-0.25, 1}};
    std::vector<double> values;
    for (const std::uint32_t row : rows) values.insert(values.end(), std::begin(kPoints[row]), std::end(kPoints[row]));
    return mechanism.counts(values);
  };
  return integer_noise(settings, HalfspaceRelease::kNeighbours, false, mechanism.noise().scale(), statistic);
}

Made mirrored(const AuditSettings& settings) {
  HEARSAY_TRY(const Rational scale, Rational::create(settings.built.den(), settings.built.num()));
  const auto statistic = [](const Rows& rows) -> Result<std::int64_t> {
    const auto zeros = static_cast<std::uint64_t>(std::count(rows.begin(), rows.end(), 0U));
    return static_cast<std::int64_t>(mirrored_mod(rows.size() - zeros, 3));
  };
  return integer_noise(settings, kReplace, false, scale, statistic);
}

// The release also sets negative counts to 0. This step does not change the loss, so the audit leaves it out.
Made parities(const AuditSettings& settings, Neighbours neighbours) {
  const std::uint32_t attributes = std::max(2U, bits_for(settings.domain));
  HEARSAY_TRY(const ParityRelease mechanism, ParityRelease::create(settings.built, neighbours, attributes));
  const auto statistic = [attributes](const Rows& rows) -> Result<std::vector<std::uint64_t>> {
    return histogram_of(rows, std::uint32_t{1} << attributes);
  };
  return integer_noise(settings, neighbours, false, mechanism.cells().noise().scale(), statistic);
}

}  // namespace

Made cell_counts(const AuditSettings& settings, Neighbours built_for, Neighbours audited) {
  HEARSAY_TRY(const CellRelease mechanism, CellRelease::create(settings.built, built_for));
  const auto statistic = [domain = settings.domain](const Rows& rows) -> Result<std::vector<std::int64_t>> {
    HEARSAY_TRY(CellCube cube, CellCube::create({domain}));
    for (const std::uint32_t row : rows) HEARSAY_CHECK_OK(cube.add(std::array{row}));
    return std::vector<std::int64_t>(cube.cells().begin(), cube.cells().end());
  };
  return integer_noise(settings, audited, false, mechanism.noise().scale(), statistic);
}

std::vector<CatalogueEntry> release_entries() {
  using S = const AuditSettings&;
  return {
      {"intervals", "interval release by binary searches", "1", 4, 3, [](S s) { return intervals(s); }},
      {"boxes", "interval release in two dimensions", "1", 8, 2, [](S s) { return boxes(s); }},
      {"halfspaces", "halfspace release in the plane", "1", 4, 3, [](S s) { return halfspaces(s); }},
      {"mirrored-mod", "noisy mirrored mod (Blum et al., Definition 7.2)", "1", 2, 4, [](S s) { return mirrored(s); }},
      {"cells", "cell release", "1", 3, 3, [](S s) { return cell_counts(s, kReplace, kReplace); }},
      {"cells-add-remove", "cell release; the number of rows is private", "1", 3, 3,
       [](S s) { return cell_counts(s, kAdd, kAdd); }},
      {"parity", "rows of bits for parity queries", "1", 4, 3, [](S s) { return parities(s, kReplace); }},
      {"parity-add-remove", "rows of bits; the number of rows is private", "1", 4, 3,
       [](S s) { return parities(s, kAdd); }},
  };
}

}  // namespace hearsay::central
