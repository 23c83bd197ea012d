#include "aggregator/central/audit/pair_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "aggregator/central/audit/interval.h"
#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

// Returns Σ|a - b|/scale over the coordinates a and b of the two statistics, or 0 if there is no statistic.
Result<Rational> noise_loss(const OutputLaw& first, const OutputLaw& second) {
  Uint128 distance = 0;
  for (std::size_t i = 0; i < first.statistic.size(); ++i) {
    const Int128 step = Int128{first.statistic[i]} - second.statistic[i];
    distance += static_cast<Uint128>(step < 0 ? -step : step);
  }
  if (distance == 0) return Rational();
  const auto steps = narrow({distance, 1});
  if (!steps) return Error{ErrorCode::kOverflow, "two statistics are further apart than 2^64"};
  return steps->divided_by(first.scale);
}

Result<SignedRational> scaled_difference(const Rational& rate, std::uint64_t a, std::uint64_t b) {
  HEARSAY_TRY(const Rational exponent, rate.times(whole(a >= b ? a - b : b - a)));
  return SignedRational{a < b, exponent};
}

Result<SignedRational> sum(const Rational& a, const SignedRational& b) {
  return difference(a, SignedRational{!b.negative, b.magnitude});
}

// Returns the bound from the proof of the exponential mechanism: Σ e^{-x'_i}/Σ e^{-x_i} <= max e^{x_i - x'_i}, where
// x_i and x'_i are rate·gap of candidate i in the two databases.
Result<Rational> proportional_bound(const OutputLaw& first, const OutputLaw& second, const Rational& noise) {
  std::uint64_t rise = 0;
  std::uint64_t fall = 0;
  for (std::size_t c = 0; c < first.outcomes.size(); ++c) {
    const std::uint64_t a = first.outcomes[c].gap;
    const std::uint64_t b = second.outcomes[c].gap;
    if (b >= a) rise = std::max(rise, b - a);
    if (a >= b) fall = std::max(fall, a - b);
  }
  HEARSAY_TRY(const Rational most, first.rate.times(whole(rise + fall)));
  return noise.plus(most);
}

}  // namespace

std::optional<PairLoss> loss_of_errors(const Error* first, const Error* second) {
  if (first == nullptr && second == nullptr) return std::nullopt;
  PairLoss loss;
  loss.complete = true;
  loss.infinite =
      first == nullptr || second == nullptr || first->code != second->code || first->message != second->message;
  if (!loss.infinite) loss.most = Rational();
  return loss;
}

Result<PairLoss> loss_between(const OutputLaw& first, const OutputLaw& second) {
  PairLoss loss;
  loss.complete = true;
  // A database with more outcomes has its additional outcomes last. If `first` has such outcomes, the loss is
  // unbounded.
  loss.infinite = first.clear != second.clear || first.statistic.size() != second.statistic.size() ||
                  first.outcomes.size() > second.outcomes.size() || first.outcomes.empty() != second.outcomes.empty();
  if (loss.infinite) return loss;
  HEARSAY_TRY(const Rational noise, noise_loss(first, second));
  if (first.outcomes.empty()) {
    const LogRatio exact{{false, noise}};
    loss.outcomes.push_back({exact, exact});
    loss.most = noise;
    return loss;
  }
  // The outcomes of a proportional law share a key, so one comparison of keys is enough.
  const bool shared = first.proportional && second.proportional;
  const bool alike = shared && *first.outcomes[0].key == *second.outcomes[0].key;
  for (std::size_t c = 0; c < first.outcomes.size(); ++c) {
    const WeightedOutcome& a = first.outcomes[c];
    const WeightedOutcome& b = second.outcomes[c];
    HEARSAY_TRY(const SignedRational decay, scaled_difference(first.rate, b.gap, a.gap));
    HEARSAY_TRY(const SignedRational exact, sum(noise, decay));
    Outcome outcome{{exact}, {exact}};
    if (shared ? !alike : *a.key != *b.key) {
      const Interval x{a.weight_low, a.weight_high};
      const Interval y{b.weight_low, b.weight_high};
      outcome.low.ratio = quotient_below(x, y);
      outcome.high.ratio = quotient_above(x, y);
    }
    loss.outcomes.push_back(outcome);
  }
  if (first.proportional && first.outcomes.size() == second.outcomes.size()) {
    HEARSAY_TRY(loss.most, proportional_bound(first, second, noise));
  }
  return loss;
}

LossOf losses(LawOf law) {
  const auto find = remembered<Published<OutputLaw>>(std::move(law));
  return [find](const Rows& first, const Rows& second) -> Result<PairLoss> {
    HEARSAY_TRY(const Published<OutputLaw>* a, find(first));
    HEARSAY_TRY(const Published<OutputLaw>* b, find(second));
    if (auto told = loss_of_errors(*a, *b)) return *std::move(told);
    return loss_between(std::get<OutputLaw>(*a), std::get<OutputLaw>(*b));
  };
}

Result<OutputLaw> exponential_law(const Rational& rate, std::span<const std::uint64_t> gaps) {
  constexpr std::size_t kMost = std::size_t{1} << 20U;
  if (gaps.empty()) return Error{ErrorCode::kInvalidArgument, "there must be at least one candidate"};
  if (gaps.size() > kMost) return Error{ErrorCode::kDomainTooLarge, "there are more than 2^20 candidates"};
  Interval total;
  for (const std::uint64_t gap : gaps) {
    HEARSAY_TRY(const Rational exponent, rate.times(whole(gap)));
    total = total + exp_minus(exponent);
  }
  const Interval weight = exactly(1) / total;
  std::vector<std::uint64_t> sorted(gaps.begin(), gaps.end());
  std::sort(sorted.begin(), sorted.end());
  const auto key = std::make_shared<const std::vector<std::uint64_t>>(std::move(sorted));
  OutputLaw law;
  law.rate = rate;
  law.proportional = true;
  for (const std::uint64_t gap : gaps) law.outcomes.push_back({gap, weight.low, weight.high, key});
  return law;
}

// For N candidates, Pr[c] = (e^{-rate·gap_c}/N)·Σ_k e_k/C(N-1, k). Let w_i = e^{-rate·gap_i}. The e_k are the
// elementary symmetric polynomials of the numbers 1 - w_i of the other candidates i.
Result<OutputLaw> permute_and_flip_law(const Rational& rate, std::span<const std::uint64_t> gaps) {
  constexpr std::size_t kMost = 32;
  if (gaps.empty()) return Error{ErrorCode::kInvalidArgument, "there must be at least one candidate"};
  if (gaps.size() > kMost)
    return Error{ErrorCode::kDomainTooLarge, "permute-and-flip is audited on at most 32 candidates"};
  std::vector<Interval> passes;
  for (const std::uint64_t gap : gaps) {
    HEARSAY_TRY(const Rational exponent, rate.times(whole(gap)));
    passes.push_back(one_minus(exp_minus(exponent)));
  }
  OutputLaw law;
  law.rate = rate;
  for (std::size_t c = 0; c < gaps.size(); ++c) {
    std::vector<Interval> symmetric{{1, 1}};
    std::vector<std::uint64_t> key;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      if (i == c) continue;
      key.push_back(gaps[i]);
      symmetric.push_back({0, 0});
      for (std::size_t k = symmetric.size() - 1; k > 0; --k) {
        symmetric[k] = symmetric[k] + symmetric[k - 1] * passes[i];
      }
    }
    std::sort(key.begin(), key.end());
    Interval mean;
    std::uint64_t choices = 1;  // C(N-1, k)
    for (std::size_t k = 0; k < gaps.size(); ++k) {
      mean = mean + symmetric[k] / exactly(choices);
      choices = choices * (gaps.size() - 1 - k) / (k + 1);
    }
    const Interval weight = mean / exactly(gaps.size());
    law.outcomes.push_back(
        {gaps[c], weight.low, weight.high, std::make_shared<const std::vector<std::uint64_t>>(std::move(key))});
  }
  return law;
}

LossSize size_of(const PairLoss& loss) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  if (loss.infinite) return {kUnbounded, kUnbounded, nullptr};
  LossSize size;
  double high = 0;
  for (const Outcome& outcome : loss.outcomes) {
    const double low = outcome.low.approximate();
    if (low > size.low) {
      size.low = low;
      size.largest = &outcome.low;
    }
    high = std::max(high, outcome.high.approximate());
  }
  const double most = loss.most ? loss.most->approximate() : kUnbounded;
  size.high = loss.complete ? std::min(high, most) : most;
  return size;
}

// Ratios above 2^60 become 2^60, so `low` stays a lower bound. Ratios below 2^-60 become 2^-60. Their logarithms are
// negative, so no loss changes.
Outcome outcome_from(long double first, long double second, long double relative_error) {
  static constexpr long double kLargest = 0x1p60L;
  static constexpr Uint128 kOne = Uint128{1} << 60U;
  const auto fraction = [](long double ratio) -> WideFraction {
    if (ratio >= 1) return {static_cast<Uint128>(std::ldexp(std::min(ratio, kLargest), 60)), kOne};
    return {kOne, static_cast<Uint128>(std::ldexp(std::min(1 / ratio, kLargest), 60)) + 1};
  };
  const long double ratio = first / second;
  Outcome outcome;
  outcome.low.ratio = fraction(ratio * (1 - 2 * relative_error - 0x1p-60L));
  outcome.high.ratio = fraction(ratio * (1 + 2 * relative_error + 0x1p-60L));
  return outcome;
}

}  // namespace hearsay::central
