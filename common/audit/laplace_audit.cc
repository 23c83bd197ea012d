// Every log-ratio is a sum of multiples of 1/t_j. With t_j = s_j/r_j, all are integers over the least common multiple
// of the s_j; the search over pairs of records and the verdict need nothing but additions and comparisons of them.

#include "common/audit/laplace_audit.h"

#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/arrangement/arrangement.h"
#include "common/audit/all_records.h"
#include "common/audit/wide_fraction.h"
#include "common/base/try.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kMaxCost = std::uint64_t{1} << 30U;

// The largest log Pr[y|a] - log Pr[y|b] over the values y of a coordinate: units/t, attained at `value`.
struct Loss {
  std::int64_t units = std::numeric_limits<std::int64_t>::min();
  std::int64_t value = 0;
};

// [0]: a = +1 against b = -1. [1]: the other way round.
using Losses = std::array<Loss, 2>;

Loss worst_value(const LaplaceChannel& channel, std::size_t j, int a, int b) {
  Loss worst;
  const std::int64_t bound = channel.bound(j);
  for (std::int64_t y = -bound; y <= bound; ++y) {
    const std::int64_t units = channel.atom(j, b, y).power - channel.atom(j, a, y).power;
    const bool nearer = units == worst.units && std::abs(y) < std::abs(worst.value);
    if (units > worst.units || nearer) worst = {units, y};
  }
  return worst;
}

// For the coordinates that depend on the record. Equal scales mean equal laws and bounds.
std::vector<Losses> losses_of(const LaplaceChannel& channel, std::size_t dimension) {
  std::map<Rational, Losses> known;
  std::vector<Losses> losses;
  for (std::size_t j = 0; j < dimension; ++j) {
    auto found = known.find(channel.scale(j));
    if (found == known.end()) {
      const Losses both{worst_value(channel, j, +1, -1), worst_value(channel, j, -1, +1)};
      found = known.emplace(channel.scale(j), both).first;
    }
    losses.push_back(found->second);
  }
  return losses;
}

// The losses as integers over one denominator.
struct CommonLosses {
  std::vector<std::array<Uint128, 2>> units;
  Uint128 denominator = 1;
};

// Nothing unless every sum of them, one per coordinate, fits too.
std::optional<CommonLosses> over_common_denominator(const LaplaceChannel& channel, std::span<const Losses> losses) {
  CommonLosses common;
  for (std::size_t j = 0; j < losses.size(); ++j) {
    const auto lcm = checked_lcm(common.denominator, channel.scale(j).num());
    if (!lcm) return std::nullopt;
    common.denominator = *lcm;
  }
  Uint128 total = 0;
  for (std::size_t j = 0; j < losses.size(); ++j) {
    const Rational scale = channel.scale(j);
    const auto per_unit = checked_product(common.denominator / scale.num(), scale.den());
    if (!per_unit) return std::nullopt;
    auto& units = common.units.emplace_back();
    for (std::size_t direction = 0; direction < units.size(); ++direction) {
      const auto weight = checked_product(*per_unit, static_cast<std::uint64_t>(losses[j][direction].units));
      const auto sum = weight ? checked_sum(total, *weight) : std::nullopt;
      if (!sum) return std::nullopt;
      units[direction] = *weight;
      total = *sum;
    }
  }
  return common;
}

Uint128 loss_between(std::span<const std::int8_t> a, std::span<const std::int8_t> b, const CommonLosses& losses) {
  Uint128 sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (a[j] != b[j]) sum += losses.units[j][a[j] > 0 ? 0 : 1];
  }
  return sum;
}

struct WorstPair {
  std::size_t first;
  std::size_t second;
  Uint128 units;
};

WorstPair worst_pair(std::span<const std::int8_t> embeddings, std::size_t dimension, const CommonLosses& losses) {
  const std::size_t records = embeddings.size() / dimension;
  WorstPair worst{0, 1, 0};
  for (std::size_t i = 0; i < records; ++i) {
    for (std::size_t k = 0; k < records; ++k) {
      if (i == k) continue;
      const Uint128 units = loss_between(embeddings.subspan(i * dimension, dimension),
                                         embeddings.subspan(k * dimension, dimension), losses);
      if (units > worst.units) worst = {i, k, units};
    }
  }
  return worst;
}

Error beyond_128_bits() {
  return {ErrorCode::kOverflow, "the scales have no common denominator that 128-bit arithmetic holds"};
}

}  // namespace

Result<AuditResult> audit_laplace(const Task& task, const LaplaceChannel& channel) {
  const std::size_t dimension = task.arrangement().dimension();
  const bool homogeneous = channel.calibration() == LaplaceCalibration::kPaper;
  if (channel.coordinates() != dimension + (homogeneous ? 1 : 0)) {
    return Error{ErrorCode::kInvalidArgument, "the channel is not over the task's arrangement"};
  }
  const std::uint64_t universe = task.asked_schema().universe_size().value_or(kMaxCost);
  if (universe > kMaxCost / universe / dimension) {
    return Error{
        ErrorCode::kDomainTooLarge,
        "an audit compares every pair of records in every coordinate, and these are more than 2^30: audit a task "
        "of the same channel and epsilon with fewer attributes, or with fewer values of each"};
  }

  std::map<Rational, std::uint64_t> bounds;
  for (std::size_t j = 0; j < dimension; ++j) bounds[channel.scale(j)] = static_cast<std::uint64_t>(channel.bound(j));
  std::uint64_t values = 0;
  for (const auto& [scale, bound] : bounds) values += bound;
  if (values > kMaxCost) {
    return Error{
        ErrorCode::kDomainTooLarge,
        "an audit tries every value of the noise, and these are more than 2^30: audit a task of the same channel "
        "with a larger epsilon or fewer attributes"};
  }

  const std::vector<Losses> losses = losses_of(channel, dimension);
  const std::optional<CommonLosses> common = over_common_denominator(channel, losses);
  if (!common) return beyond_128_bits();
  const std::vector<Record> records = all_records(task.asked_schema(), universe);
  std::vector<std::int8_t> embeddings(records.size() * dimension);
  const auto embedding = [&](std::size_t i) { return std::span(embeddings).subspan(i * dimension, dimension); };
  for (std::size_t i = 0; i < records.size(); ++i) task.arrangement().encode(records[i], embedding(i));
  const WorstPair worst = worst_pair(embeddings, dimension, *common);

  std::vector<std::int64_t> report(channel.coordinates(), 0);
  for (std::size_t j = 0; j < dimension; ++j) {
    const int a = embedding(worst.first)[j];
    if (a != embedding(worst.second)[j]) report[j] = losses[j][a > 0 ? 0 : 1].value;
  }

  HEARSAY_TRY(const Rational claimed, Rational::create(task.epsilon().num(), task.epsilon().den()));
  const WideFraction sum{worst.units, common->denominator};
  const bool holds = compare(sum, {claimed.num(), claimed.den()}) <= 0;
  std::optional<Rational> actual = narrow(sum);
  const bool exact = actual.has_value();
  if (!exact) actual = narrow_upwards(sum);
  if (!actual) return beyond_128_bits();
  if (holds && *actual > claimed) actual = claimed;
  return AuditResult{claimed,
                     *actual,
                     exact,
                     holds,
                     records[worst.first],
                     records[worst.second],
                     std::move(report),
                     universe * (universe - 1)};
}

}  // namespace hearsay
