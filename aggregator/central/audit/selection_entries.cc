// Mechanisms that choose one of finitely many outputs.
#include <algorithm>

#include "aggregator/central/audit/entries.h"
#include "aggregator/central/exponential/permute_and_flip.h"
#include "aggregator/central/extremes/ranked_extreme.h"
#include "aggregator/central/laplace/bit_flips.h"
#include "aggregator/central/laplace/metric_mechanism.h"
#include "aggregator/central/synthetic/general_release.h"
#include "aggregator/central/synthetic/linear_release.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

using LawMaker = Result<OutputLaw> (*)(const Rational&, std::span<const std::uint64_t>);

Made selection(const AuditSettings& settings, Neighbours neighbours, const Rational& rate, LawMaker maker,
               std::function<Result<std::vector<std::uint64_t>>(const Rows&)> gaps) {
  LossOf loss = losses([rate, maker, gaps = std::move(gaps)](const Rows& rows) -> Result<Published<OutputLaw>> {
    const auto found = attempted([&] { return gaps(rows); });
    if (!found) return Published<OutputLaw>(found.error());
    HEARSAY_TRY(OutputLaw law, maker(rate, *found));
    return Published<OutputLaw>(std::move(law));
  });
  return described(settings, neighbours, false, Evidence::kEnclosure, std::move(loss));
}

// The scores are the counts of the values. When a record comes, no count falls; when a record goes, no count rises.
Made mode(const AuditSettings& settings, Neighbours neighbours, LawMaker maker) {
  const auto movement = neighbours == kAdd ? ScoreMovement::kOneWay : ScoreMovement::kEitherWay;
  HEARSAY_TRY(const GapDecay decay, GapDecay::create(exact(settings.built), whole(1), movement));
  const auto gaps = [domain = settings.domain](const Rows& rows) {
    const std::vector<std::uint64_t> histogram = histogram_of(rows, domain);
    return score_gaps(std::vector<std::int64_t>(histogram.begin(), histogram.end()));
  };
  return selection(settings, neighbours, decay.rate(), maker, gaps);
}

Made extreme(const AuditSettings& settings, Neighbours neighbours, Extreme which) {
  HEARSAY_TRY(const RankedExtreme mechanism,
              RankedExtreme::create(which, settings.built, neighbours, settings.domain, 0.9));
  const auto gaps = [mechanism](const Rows& rows) -> Result<std::vector<std::uint64_t>> {
    HEARSAY_TRY(const std::vector<std::int64_t> scores, mechanism.scores(rows));
    return score_gaps(scores);
  };
  return selection(settings, neighbours, mechanism.selection().decay().rate(), permute_and_flip_law, gaps);
}

// On a path, f(x) = Σ x_i. On a cycle, f(x) is the number of records that are not 0, and every point has the same
// distances to all points.
Made metric(const AuditSettings& settings, bool cycle) {
  const std::uint32_t steps = cycle ? 1 : settings.domain - 1;
  const std::uint32_t points = settings.rows * steps + 1;
  const auto distance = [cycle, points](std::uint32_t a, std::uint32_t b) -> std::uint64_t {
    const std::uint32_t way = a > b ? a - b : b - a;
    return cycle ? std::min(way, points - way) : way;
  };
  HEARSAY_TRY(const MetricMechanism mechanism,
              MetricMechanism::create(settings.built, points, distance, steps, kReplace));
  const auto gaps = [mechanism, cycle](const Rows& rows) -> Result<std::vector<std::uint64_t>> {
    std::uint32_t at = 0;
    for (const std::uint32_t row : rows) at += cycle ? std::min(row, 1U) : row;
    std::vector<std::uint64_t> found;
    for (std::uint32_t point = 0; point < mechanism.points(); ++point) found.push_back(mechanism.distance(at, point));
    return found;
  };
  return selection(settings, kReplace, mechanism.rate(), exponential_law, gaps);
}

// Replacing a record changes at most the bits of one value.
Made flips(const AuditSettings& settings) {
  const std::uint32_t width = bits_for(settings.domain);
  HEARSAY_TRY(const BitFlips mechanism,
              BitFlips::create(settings.built, std::size_t{settings.rows} * width, width, kReplace));
  const std::uint64_t flip = mechanism.flip_in_2_to_64();
  return flipped_bits(settings, {(Uint128{1} << 64U) - flip, flip});
}

Result<QueryClass> thresholds(std::uint32_t domain) {
  if (domain < 2) return Error{ErrorCode::kInvalidArgument, "thresholds need a domain of at least 2 values"};
  std::vector<std::vector<std::uint8_t>> queries;
  for (std::uint32_t t = 1; t < domain; ++t) {
    queries.emplace_back(domain);
    for (std::uint32_t x = t; x < domain; ++x) queries.back()[x] = 1;
  }
  return QueryClass::predicates(queries);
}
Result<QueryClass> slopes(std::uint32_t domain) {
  if (domain < 2) return Error{ErrorCode::kInvalidArgument, "slopes need a domain of at least 2 values"};
  std::vector<std::vector<double>> queries(2);
  for (std::uint32_t x = 0; x < domain; ++x) {
    const double weight = static_cast<double>(x) / (domain - 1);
    queries[0].push_back(weight);
    queries[1].push_back(1 - weight);
  }
  return QueryClass::linear(queries, domain - 1);
}

Result<std::vector<std::uint64_t>> synthetic_gaps(const Selection& synthetic, const Rows& rows) {
  const std::vector<std::uint64_t> histogram =
      histogram_of(rows, static_cast<std::uint32_t>(synthetic.queries().domain()));
  HEARSAY_TRY(const std::vector<std::int64_t> scores, synthetic.scores(histogram));
  return score_gaps(scores);
}

Made general(const AuditSettings& settings) {
  HEARSAY_TRY(QueryClass queries, thresholds(settings.domain));
  HEARSAY_TRY(const GeneralRelease mechanism,
              GeneralRelease::create(std::move(queries), settings.rows, settings.built));
  const auto gaps = [mechanism](const Rows& rows) { return synthetic_gaps(mechanism.selection(), rows); };
  return selection(settings, GeneralRelease::kNeighbours, mechanism.selection().decay().rate(), exponential_law, gaps);
}

}  // namespace

Made linear_release(const AuditSettings& settings, Neighbours neighbours) {
  HEARSAY_TRY(QueryClass queries, slopes(settings.domain));
  std::optional<Epsilon> for_total;
  if (neighbours == kAdd) {
    HEARSAY_TRY(for_total, half(settings.built));
  }
  HEARSAY_TRY(const LinearRelease mechanism,
              LinearRelease::create(std::move(queries), settings.rows, neighbours, settings.built, for_total));
  LossOf loss = losses([mechanism](const Rows& rows) -> Result<Published<OutputLaw>> {
    const auto gaps = attempted([&] { return synthetic_gaps(mechanism.selection(), rows); });
    if (!gaps) return Published<OutputLaw>(gaps.error());
    HEARSAY_TRY(OutputLaw law, exponential_law(mechanism.selection().decay().rate(), *gaps));
    if (mechanism.total_noise()) {
      law.statistic = {static_cast<std::int64_t>(rows.size())};
      law.scale = mechanism.total_noise()->scale();
    } else {
      law.clear = {static_cast<std::int64_t>(rows.size())};
    }
    return Published<OutputLaw>(std::move(law));
  });
  return described(settings, neighbours, false, Evidence::kEnclosure, std::move(loss));
}

std::vector<CatalogueEntry> selection_entries() {
  using S = const AuditSettings&;
  return {
      {"exponential", "commonest value, exponential mechanism", "1", 3, 3,
       [](S s) { return mode(s, kReplace, exponential_law); }},
      {"exponential-add-remove", "commonest value; the number of rows is private", "1", 3, 3,
       [](S s) { return mode(s, kAdd, exponential_law); }},
      {"permute-and-flip", "commonest value, permute-and-flip", "1", 3, 3,
       [](S s) { return mode(s, kReplace, permute_and_flip_law); }},
      {"permute-and-flip-add-remove", "commonest value; the number of rows is private", "1", 3, 3,
       [](S s) { return mode(s, kAdd, permute_and_flip_law); }},
      {"metric-path", "a point near the sum, on a path", "1", 2, 4, [](S s) { return metric(s, false); }},
      {"metric-cycle", "a point near the count, on a cycle", "1", 2, 4, [](S s) { return metric(s, true); }},
      {"bit-flips", "all bits of the rows, flipped", "1", 4, 2, [](S s) { return flips(s); }},
      {"general-release", "synthetic rows for thresholds", "1", 3, 3, [](S s) { return general(s); }},
      {"linear-release", "synthetic histogram for linear queries", "1", 3, 3,
       [](S s) { return linear_release(s, kReplace); }},
      {"linear-release-add-remove", "synthetic histogram; half of the budget for the number of rows", "1", 3, 3,
       [](S s) { return linear_release(s, kAdd); }},
      {"maximum", "value near the largest row, by rank", "1", 3, 4,
       [](S s) { return extreme(s, kReplace, Extreme::kMaximum); }},
      {"maximum-add-remove", "value near the largest row; the number of rows is private", "1", 3, 4,
       [](S s) { return extreme(s, kAdd, Extreme::kMaximum); }},
      {"minimum", "value near the smallest row, by rank", "1", 3, 4,
       [](S s) { return extreme(s, kReplace, Extreme::kMinimum); }},
  };
}

}  // namespace hearsay::central
