// Every log-ratio is a sum of multiples of 1/t_j. With t_j = s_j/r_j, all log-ratios are integers divided by the least
// common multiple of the s_j. So the search over pairs of records and the verdict only add and compare integers.

#include "common/audit/laplace_audit.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/arrangement/arrangement.h"
#include "common/audit/wide_fraction.h"
#include "common/base/try.h"
#include "common/schema/universe.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kMaxCost = std::uint64_t{1} << 30U;

// The loss of entry a against entry b: the largest log Pr[y|a] - log Pr[y|b] over the values y of a coordinate with
// scale t. The loss is units/t, at y = `value`.
struct Loss {
  std::int64_t units = std::numeric_limits<std::int64_t>::min();
  std::int64_t value = 0;
};

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

// The losses at the coordinates of one scale, for every pair of entries that embeddings have at these coordinates.
// Coordinates of equal scale have equal laws and bounds.
class LawLosses {
 public:
  // `entries`: all entries that embeddings have at coordinates of this scale. `j` is one of these coordinates.
  LawLosses(const LaplaceChannel& channel, std::size_t j, std::set<int> entries)
      : entries_(entries.begin(), entries.end()), losses_(entries_.size() * entries_.size(), Loss{0, 0}) {
    for (std::size_t i = 0; i < entries_.size(); ++i) rank_[static_cast<std::uint8_t>(entries_[i])] = i;
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      of_ranks(i, i - 1) = worst_value(channel, j, entries_[i], entries_[i - 1]);
      of_ranks(i - 1, i) = worst_value(channel, j, entries_[i - 1], entries_[i]);
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      Loss up{0, 0};
      for (std::size_t k = i + 1; k < entries_.size(); ++k) of_ranks(k, i) = joined(channel, j, k, k - 1, i, up);
      Loss down{0, 0};
      for (std::size_t k = i; k-- > 0;) of_ranks(k, i) = joined(channel, j, k, k + 1, i, down);
    }
  }

  const Loss& loss(int a, int b) const { return losses_[place(a, b)]; }
  std::size_t place(int a, int b) const {
    return rank_[static_cast<std::uint8_t>(a)] * entries_.size() + rank_[static_cast<std::uint8_t>(b)];
  }
  std::span<const Loss> losses() const { return losses_; }

 private:
  Loss& of_ranks(std::size_t a, std::size_t b) { return losses_[a * entries_.size() + b]; }

  // Returns the loss of the entry of rank a against the entry of rank b. `beside` is the rank next to a on the way to
  // b. The caller passes in `sum` a bound on the loss of rank `beside` against rank b. The function adds the loss of a
  // against `beside`, so that `sum` bounds the returned loss. If the worst value of a against `beside` reaches this
  // bound, that value is the worst. Otherwise worst_value() tries all values.
  Loss joined(const LaplaceChannel& channel, std::size_t j, std::size_t a, std::size_t beside, std::size_t b,
              Loss& sum) {
    const Loss step = of_ranks(a, beside);
    sum = {sum.units + step.units, step.value};
    const std::int64_t units =
        channel.atom(j, entries_[b], step.value).power - channel.atom(j, entries_[a], step.value).power;
    return units == sum.units ? sum : worst_value(channel, j, entries_[a], entries_[b]);
  }

  std::vector<int> entries_;  // ascending
  std::vector<Loss> losses_;
  std::array<std::size_t, 256> rank_{};
};

// The losses at all coordinates that depend on the record; coordinates with the same law share an element of `laws`.
struct Losses {
  std::vector<LawLosses> laws;
  std::vector<std::size_t> law_of;  // for each coordinate, the index into `laws`
};

using EntriesOfScale = std::map<Rational, std::set<int>>;

EntriesOfScale entries_of(const LaplaceChannel& channel, std::span<const std::int8_t> embeddings,
                          std::size_t dimension) {
  EntriesOfScale entries;
  for (std::size_t j = 0; j < dimension; ++j) {
    std::set<int>& at_scale = entries[channel.scale(j)];
    for (std::size_t at = j; at < embeddings.size(); at += dimension) at_scale.insert(embeddings[at]);
  }
  return entries;
}

Losses losses_of(const LaplaceChannel& channel, std::size_t dimension, const EntriesOfScale& entries) {
  std::map<Rational, std::size_t> known;
  Losses losses;
  for (std::size_t j = 0; j < dimension; ++j) {
    const auto [found, fresh] = known.emplace(channel.scale(j), losses.laws.size());
    if (fresh) losses.laws.emplace_back(channel, j, entries.at(channel.scale(j)));
    losses.law_of.push_back(found->second);
  }
  return losses;
}

// The losses, as integers over one denominator.
struct CommonLosses {
  std::vector<std::vector<Uint128>> units;  // for each law, in the order of losses()
  Uint128 denominator = 1;
};

// Returns nothing if a sum of one loss for each coordinate might not fit 128 bits.
std::optional<CommonLosses> over_common_denominator(const LaplaceChannel& channel, const Losses& losses) {
  CommonLosses common;
  std::vector<Rational> scales(losses.laws.size());
  for (std::size_t j = 0; j < losses.law_of.size(); ++j) scales[losses.law_of[j]] = channel.scale(j);
  for (const Rational& scale : scales) {
    const auto lcm = checked_lcm(common.denominator, scale.num());
    if (!lcm) return std::nullopt;
    common.denominator = *lcm;
  }
  std::vector<Uint128> largest;
  for (std::size_t law = 0; law < scales.size(); ++law) {
    const auto per_unit = checked_product(common.denominator / scales[law].num(), scales[law].den());
    if (!per_unit) return std::nullopt;
    common.units.emplace_back();
    largest.push_back(0);
    for (const Loss& loss : losses.laws[law].losses()) {
      const auto units = checked_product(*per_unit, static_cast<std::uint64_t>(loss.units));
      if (!units) return std::nullopt;
      common.units.back().push_back(*units);
      largest.back() = std::max(largest.back(), *units);
    }
  }
  Uint128 total = 0;
  for (const std::size_t law : losses.law_of) {
    const auto sum = checked_sum(total, largest[law]);
    if (!sum) return std::nullopt;
    total = *sum;
  }
  return common;
}

struct WorstPair {
  std::size_t first;
  std::size_t second;
  Uint128 units;
};

WorstPair worst_pair(std::span<const std::int8_t> embeddings, const Losses& losses, const CommonLosses& common) {
  const std::size_t dimension = losses.law_of.size();
  const std::size_t records = embeddings.size() / dimension;
  WorstPair worst{0, 1, 0};
  for (std::size_t i = 0; i < records; ++i) {
    for (std::size_t k = 0; k < records; ++k) {
      const std::int8_t* a = &embeddings[i * dimension];
      const std::int8_t* b = &embeddings[k * dimension];
      Uint128 units = 0;
      for (std::size_t j = 0; j < dimension; ++j) {
        const std::size_t law = losses.law_of[j];
        if (a[j] != b[j]) units += common.units[law][losses.laws[law].place(a[j], b[j])];
      }
      if (units > worst.units) worst = {i, k, units};
    }
  }
  return worst;
}

Error not_over_arrangement() {
  return {ErrorCode::kInvalidArgument, "the channel to audit is for another arrangement than the task's"};
}

Result<void> check_noise_values(const LaplaceChannel& channel, std::size_t dimension, const EntriesOfScale& entries) {
  std::map<Rational, std::uint64_t> bounds;
  for (std::size_t j = 0; j < dimension; ++j) bounds[channel.scale(j)] = static_cast<std::uint64_t>(channel.bound(j));
  std::uint64_t values = 0;
  for (const auto& [scale, bound] : bounds) values += bound * std::max<std::size_t>(1, entries.at(scale).size() - 1);
  if (values <= kMaxCost) return {};
  return Error{ErrorCode::kDomainTooLarge,
               "an audit tries every value of the noise, and there are more than 2^30 values: audit a task of the same "
               "channel with a larger epsilon, or with fewer attributes or smaller vectors"};
}

Error beyond_128_bits() {
  return {ErrorCode::kOverflow, "the common denominator of the channel's scales is too large for 128-bit arithmetic"};
}

}  // namespace

Result<AuditResult> audit_laplace(const Task& task, const LaplaceChannel& channel) {
  const std::size_t dimension = task.arrangement().dimension();
  const bool homogeneous = channel.calibration() == LaplaceCalibration::kPaper &&
                           std::holds_alternative<Literals>(task.arrangement().kind());
  if (channel.coordinates() != dimension + (homogeneous ? 1 : 0)) return not_over_arrangement();
  const std::uint64_t universe = task.asked_schema().universe_size().value_or(kMaxCost);
  if (universe > kMaxCost / universe / dimension) {
    return Error{
        ErrorCode::kDomainTooLarge,
        "an audit compares every pair of records in every coordinate, and there are more than 2^30 comparisons: audit "
        "a task of the same channel and epsilon with fewer attributes, or with fewer values of each"};
  }

  const std::vector<Record> records = universe_of(task.asked_schema());
  std::vector<std::int8_t> embeddings(records.size() * dimension);
  const auto embedding = [&](std::size_t i) { return std::span(embeddings).subspan(i * dimension, dimension); };
  for (std::size_t i = 0; i < records.size(); ++i) task.arrangement().encode(records[i], embedding(i));
  const auto beyond = [&](std::int8_t entry) { return std::abs(int{entry}) > channel.largest_entry(); };
  if (std::any_of(embeddings.begin(), embeddings.end(), beyond)) return not_over_arrangement();

  const EntriesOfScale entries = entries_of(channel, embeddings, dimension);
  HEARSAY_CHECK_OK(check_noise_values(channel, dimension, entries));
  const Losses losses = losses_of(channel, dimension, entries);
  const std::optional<CommonLosses> common = over_common_denominator(channel, losses);
  if (!common) return beyond_128_bits();
  const WorstPair worst = worst_pair(embeddings, losses, *common);

  std::vector<std::int64_t> report(channel.coordinates(), 0);
  for (std::size_t j = 0; j < dimension; ++j) {
    const int a = embedding(worst.first)[j];
    const int b = embedding(worst.second)[j];
    if (a != b) report[j] = losses.laws[losses.law_of[j]].loss(a, b).value;
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
