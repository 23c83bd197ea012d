#include "aggregator/central/audit/central_audit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool at_most(std::partial_ordering order) {
  return order == std::partial_ordering::less || order == std::partial_ordering::equivalent;
}

Result<Verdict> judge(const PairLoss& loss, const Rational& bound) {
  if (loss.infinite) return Verdict::kRefuted;
  const bool covered = loss.most && *loss.most <= bound;
  if (covered) return Verdict::kConfirmed;
  bool certain = loss.complete;
  for (const Outcome& outcome : loss.outcomes) {
    if (outcome.low.approximate() > bound.approximate() - 1e-6) {
      HEARSAY_TRY(const std::partial_ordering low, compare(outcome.low, bound));
      if (low == std::partial_ordering::greater) return Verdict::kRefuted;
    }
    if (certain) {
      HEARSAY_TRY(const std::partial_ordering high, compare(outcome.high, bound));
      certain = at_most(high);
    }
  }
  return certain ? Verdict::kConfirmed : Verdict::kNotRefuted;
}

// Returns the loss as a fraction, if the worst outcome's loss is a fraction and no other outcome can have a larger
// loss.
std::optional<Rational> exact_size(const PairLoss& loss, const LossSize& size) {
  if (size.largest == nullptr || size.largest->exact.negative) return std::nullopt;
  if (size.largest->ratio.num != size.largest->ratio.den) return std::nullopt;
  const Rational& value = size.largest->exact.magnitude;
  if (loss.most && *loss.most <= value) return value;
  if (!loss.complete) return std::nullopt;
  for (const Outcome& outcome : loss.outcomes) {
    const auto order = compare(outcome.high, value);
    if (!order || !at_most(*order)) return std::nullopt;
  }
  return value;
}

Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::kRefuted || b == Verdict::kRefuted) return Verdict::kRefuted;
  if (a == Verdict::kNotRefuted || b == Verdict::kNotRefuted) return Verdict::kNotRefuted;
  return Verdict::kConfirmed;
}

Result<WorstPair> search(const AuditedMechanism& mechanism, const Databases& databases, std::uint32_t changes,
                         const Rational& bound) {
  WorstPair worst;
  double high = 0;
  for (std::size_t i = 0; i < databases.size(); ++i) {
    for (const std::size_t j : databases.at_distance(i, changes)) {
      if (++worst.pairs > kMostAuditPairs)
        return Error{ErrorCode::kDomainTooLarge, "more than 2^20 pairs of databases"};
      HEARSAY_TRY(const PairLoss loss, mechanism.loss(databases[i], databases[j]));
      HEARSAY_TRY(const Verdict verdict, judge(loss, bound));
      worst.verdict = worse(worst.verdict, verdict);
      const LossSize size = size_of(loss);
      high = std::max(high, size.high);
      if (worst.pairs > 1 && size.low <= worst.low) continue;
      worst.infinite = loss.infinite;
      worst.low = size.low;
      worst.exact = exact_size(loss, size);
      worst.first = databases[i];
      worst.second = databases[j];
    }
  }
  if (high < kInfinity) worst.high = high;
  // If another pair's upper bound exceeds the worst pair's exact loss, the largest loss is not known exactly.
  if (worst.exact && high > worst.exact->approximate() * (1 + 1e-15)) worst.exact.reset();
  return worst;
}

// Returns the largest divergence over all neighbours. Sets the verdict of `worst` to the verdict on (α, τ).
Result<HockeyStick> search_divergence(const AuditedMechanism& mechanism, const Databases& databases, WorstPair& worst) {
  HockeyStick largest{0, 0};
  for (std::size_t i = 0; i < databases.size(); ++i) {
    for (const std::size_t j : databases.at_distance(i, 1)) {
      HEARSAY_TRY(const HockeyStick stick,
                  mechanism.divergence(databases[i], databases[j], mechanism.claimed.approximate()));
      largest.upper = std::max(largest.upper, stick.upper);
      if (stick.lower <= largest.lower) continue;
      largest.lower = stick.lower;
      worst.first = databases[i];
      worst.second = databases[j];
    }
  }
  // The error of the enumerated law is at most 1e-12.
  worst.verdict = largest.lower > mechanism.tau + 1e-11 ? Verdict::kRefuted
                  : largest.upper <= mechanism.tau      ? Verdict::kConfirmed
                                                        : Verdict::kNotRefuted;
  return largest;
}

InformedAdversary informed_adversary(const Rational& claimed, const WorstPair& worst) {
  const auto posterior = [](double loss) { return 1 / (1 + std::exp(-loss)); };
  const double loss = worst.infinite ? kInfinity : worst.low;
  return {std::exp(claimed.approximate()), std::exp(loss), posterior(loss), posterior(claimed.approximate())};
}

}  // namespace

Result<CentralAudit> audit(const AuditedMechanism& mechanism, std::uint32_t largest_group) {
  HEARSAY_TRY(const Databases databases, Databases::enumerate(mechanism.universe));
  CentralAudit result;
  HEARSAY_TRY(result.worst, search(mechanism, databases, 1, mechanism.claimed));
  result.informed = informed_adversary(mechanism.claimed, result.worst);
  if (mechanism.divergence) {
    HEARSAY_TRY(result.divergence, search_divergence(mechanism, databases, result.worst));
    // Computes no losses for groups: under (α, τ), databases k changes apart can need a τ above k·τ.
    return result;
  }
  for (std::uint32_t changes = 2; changes <= largest_group; ++changes) {
    HEARSAY_TRY(const Rational bound, mechanism.claimed.times(whole(changes)));
    HEARSAY_TRY(WorstPair worst, search(mechanism, databases, changes, bound));
    if (worst.pairs == 0) break;
    result.groups.push_back({changes, bound, std::move(worst)});
  }
  return result;
}

}  // namespace hearsay::central
