// Computes how much a mechanism's output reveals about which of two databases was used. Outputs include errors,
// exceptions, and the number of values in an answer.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "aggregator/central/audit/log_ratio.h"
#include "common/base/try.h"
#include "common/random/bit_source.h"

namespace hearsay::central {

// The records of a database over a small domain {0, ..., N-1}.
using Rows = std::vector<std::uint32_t>;

// One outcome. ln(Pr[outcome | first]/Pr[outcome | second]) lies in [low, high].
struct Outcome {
  LogRatio low;
  LogRatio high;
};

// How certain the numbers of a PairLoss are, the most certain kind first.
enum class Evidence {
  kExact,  // the supremum is a fraction, or the logarithm of a ratio of integers
  // Every outcome's ratio lies in an interval rounded outwards. For (α, τ), the divergence lies between two bounds.
  kEnclosure,
  // The upper bound is exact. The lower bound is a floating-point number, lowered by a bound on its error.
  kBounded,
  // The lower bound is a floating-point number, lowered by a bound on its error. There is no upper bound.
  kLowerOnly,
  // The lower bound is Clopper and Pearson's, from samples. There is no upper bound.
  kSampled,
};

// What is known about the loss of an ordered pair of databases. The loss is the supremum of the log-ratio over all
// outcomes.
struct PairLoss {
  // True if `first` has an outcome that is impossible for `second`.
  bool infinite = false;
  std::vector<Outcome> outcomes;
  bool complete = false;         // no outcome is missing and every `high` is certified
  std::optional<Rational> most;  // an exact upper bound of the supremum
};

// Bounds on the loss of a pair. The loss is at least 0.
struct LossSize {
  double low = 0;
  double high = 0;                    // infinite if there is no upper bound
  const LogRatio* largest = nullptr;  // the log-ratio of the outcome that attains `low`
};
LossSize size_of(const PairLoss& loss);

// What a mechanism publishes about a database: an output drawn from this law, or always the same error.
template <class Law>
using Published = std::variant<Law, Error>;

// Calls `answer`, a function that runs a mechanism. Turns an exception into the error kInternal with the exception's
// text. Lets EntropyError through.
template <class Answer>
auto attempted(const Answer& answer) -> decltype(answer()) {
  try {
    return answer();
  } catch (const EntropyError&) {
    throw;
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kInternal, exception.what()};
  }
}

// Returns a mechanism's law, or the mechanism's error as an output. The error kDomainTooLarge, a limit of the
// enumeration, is no output; it ends the audit.
template <class Law>
Result<Published<Law>> published_law(Result<Law> law) {
  if (law) return Published<Law>(std::move(*law));
  if (law.error().code == ErrorCode::kDomainTooLarge) return law.error();
  return Published<Law>(law.error());
}

// Returns the loss of a pair if one or both databases have an error as output. The loss is 0 for the same error with
// the same text, otherwise unbounded. Returns nothing for two laws.
std::optional<PairLoss> loss_of_errors(const Error* first, const Error* second);
template <class Law>
std::optional<PairLoss> loss_of_errors(const Published<Law>& first, const Published<Law>& second) {
  return loss_of_errors(std::get_if<Error>(&first), std::get_if<Error>(&second));
}

// One outcome of a selection.
struct WeightedOutcome {
  // The probability is e^{-rate·gap}·weight.
  std::uint64_t gap;
  long double weight_low;
  long double weight_high;
  // Outcomes with equal keys have exactly equal weights. The outcomes of a proportional law share one key.
  std::shared_ptr<const std::vector<std::uint64_t>> key;
};
struct OutputLaw {
  std::vector<std::int64_t> clear;      // published without noise
  std::vector<std::int64_t> statistic;  // published with independent discrete Laplace noise of the scale below
  Rational scale;
  std::vector<WeightedOutcome> outcomes;  // one of these is published, drawn by its probability
  Rational rate;
  // All weights are 1/Σ e^{-rate·gap}.
  bool proportional = false;
};

// Returns the loss. Outputs of different shapes tell the databases apart, so their loss is infinite. Errors: kOverflow.
Result<PairLoss> loss_between(const OutputLaw& first, const OutputLaw& second);

// Returns a function that computes the law of each database only once.
template <class Law>
std::function<Result<const Law*>(const Rows&)> remembered(std::function<Result<Law>(const Rows&)> law_of) {
  auto known = std::make_shared<std::map<Rows, Law>>();
  return [known, law_of = std::move(law_of)](const Rows& rows) -> Result<const Law*> {
    auto at = known->find(rows);
    if (at == known->end()) {
      HEARSAY_TRY(Law law, law_of(rows));
      at = known->emplace(rows, std::move(law)).first;
    }
    return &at->second;
  };
}

// Makes a function for losses of pairs from a function for laws of single databases.
using LawOf = std::function<Result<Published<OutputLaw>>(const Rows&)>;
using LossOf = std::function<Result<PairLoss>(const Rows&, const Rows&)>;
LossOf losses(LawOf law);

// Return the certified laws of selections. `gaps` has the gap of each candidate: how far its score is below the best.
// The first is for Pr[c] ∝ e^{-rate·gap} (the exponential and the metric mechanism), the second for permute-and-flip.
// Errors: kOverflow; kInvalidArgument (no candidates); kDomainTooLarge (more than 2^20 candidates, or more than 32 for
// permute-and-flip).
Result<OutputLaw> exponential_law(const Rational& rate, std::span<const std::uint64_t> gaps);
Result<OutputLaw> permute_and_flip_law(const Rational& rate, std::span<const std::uint64_t> gaps);

// Returns the outcome for two probabilities in floating point, each with at most this relative error. Only `low` is
// certain, and only for a ratio of at least 2^-60. Both probabilities must be positive.
Outcome outcome_from(long double first, long double second, long double relative_error);

}  // namespace hearsay::central
