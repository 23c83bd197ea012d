// What telling two databases apart by a mechanism's output can reveal.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "aggregator/central/audit/log_ratio.h"
#include "common/base/try.h"

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

// Errors: kInvalidArgument for laws of different shape; kOverflow.
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

// Losses of pairs from the laws of single databases.
using LawOf = std::function<Result<OutputLaw>(const Rows&)>;
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
