// What telling two databases apart by a mechanism's output can reveal. An error is an output, and so are an exception
// and the number of values in an answer.
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

// The records of a small domain {0, ..., N-1}.
using Rows = std::vector<std::uint32_t>;

// ln(Pr[outcome | first]/Pr[outcome | second]) lies in [low, high].
struct Outcome {
  LogRatio low;
  LogRatio high;
};

// How the numbers of a PairLoss were found, from the strongest to the weakest.
enum class Evidence {
  kExact,      // the supremum is a fraction, or an integer ratio's logarithm
  kEnclosure,  // every outcome's ratio lies in an interval rounded outwards
  kBounded,    // an exact upper bound; the lower one computed in floating point, less its stated error
  kLowerOnly,  // floating point, less its stated error; no upper bound
  kSampled,    // Clopper and Pearson's bound from samples; no upper bound
};

// The supremum over outcomes of the log-ratio of an ordered pair of databases.
struct PairLoss {
  bool infinite = false;  // an outcome of `first` that `second` cannot have
  std::vector<Outcome> outcomes;
  bool complete = false;         // no outcome is missing and every `high` is certified
  std::optional<Rational> most;  // an exact upper bound of the supremum
};

// Bounds of the loss itself, at least 0.
struct LossSize {
  double low = 0;
  double high = 0;  // infinite without an upper bound
  const LogRatio* largest = nullptr;  // of the outcome that attains `low`
};
LossSize size_of(const PairLoss& loss);

// What a mechanism publishes about a database: an output of this law, or always the same error.
template <class Law>
using Published = std::variant<Law, Error>;

// What a function that holds a mechanism publishes: an exception is the error kInternal with the exception's text.
// EntropyError passes through.
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

// A law that a mechanism computes of itself. kDomainTooLarge is a limit of the enumeration, and so the audit's error;
// other errors are published.
template <class Law>
Result<Published<Law>> published_law(Result<Law> law) {
  if (law) return Published<Law>(std::move(*law));
  if (law.error().code == ErrorCode::kDomainTooLarge) return law.error();
  return Published<Law>(law.error());
}

// The loss of a pair of which one database, or both, has an error for an output, and nothing for a pair of laws:
// unbounded, or 0 for the same error with the same text.
std::optional<PairLoss> loss_of_errors(const Error* first, const Error* second);
template <class Law>
std::optional<PairLoss> loss_of_errors(const Published<Law>& first, const Published<Law>& second) {
  return loss_of_errors(std::get_if<Error>(&first), std::get_if<Error>(&second));
}

// A database's output as a product of three independent parts.
struct WeightedOutcome {
  std::uint64_t gap;  // the probability is e^{-rate·gap}·weight
  long double weight_low;
  long double weight_high;
  std::vector<std::uint64_t> key;  // equal keys: equal weights, exactly
};
struct OutputLaw {
  std::vector<std::int64_t> clear;      // published without noise
  std::vector<std::int64_t> statistic;  // published with independent discrete Laplace noise of this scale
  Rational scale;
  std::vector<WeightedOutcome> outcomes;  // one of finitely many
  Rational rate;
  bool proportional = false;  // the weights are all 1/Σ e^{-rate·gap}
};

// Outputs of different shapes tell the databases apart. Errors: kOverflow.
Result<PairLoss> loss_between(const OutputLaw& first, const OutputLaw& second);

// The law of each database, computed once.
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

// Losses of pairs from what is published about single databases.
using LawOf = std::function<Result<Published<OutputLaw>>(const Rows&)>;
using LossOf = std::function<Result<PairLoss>(const Rows&, const Rows&)>;
LossOf losses(LawOf law);

// The certified laws of selections from these gaps to the best score: Pr[c] ∝ e^{-rate·gap} (the exponential
// mechanism, and the metric one), and permute-and-flip. Errors: kOverflow; kInvalidArgument for no candidates;
// kDomainTooLarge above 2^20 candidates, or 32 for permute-and-flip.
Result<OutputLaw> exponential_law(const Rational& rate, std::span<const std::uint64_t> gaps);
Result<OutputLaw> permute_and_flip_law(const Rational& rate, std::span<const std::uint64_t> gaps);

// The outcome whose probabilities, each with this relative error at most, have been computed in floating point; only
// `low` can be relied on. Both probabilities must be positive.
Outcome outcome_from(long double first, long double second, long double relative_error);

}  // namespace hearsay::central
