// An analyst's session: queries that may depend on all earlier answers, under one budget.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "aggregator/central/laplace/laplace_mechanism.h"
#include "aggregator/central/laplace/privacy_ledger.h"
#include "common/base/try.h"

namespace hearsay::central {

// A query to a session: what to compute, how sensitive it is, and what may be spent on it.
template <class Database>
struct SessionQuery {
  std::function<std::vector<std::int64_t>(const Database&)> statistic;
  Rational sensitivity;  // L1, under the session's neighbours; known to the analyst too, who can compute it
  Epsilon cost;          // ε_i; the noise has scale sensitivity/cost
};

// Holds a database and answers f_1, f_2, ... with Laplace noise while Σ ε_i is at most the budget ε. All answers
// together are ε-differentially private, however each query was chosen from the answers before it. A refusal depends
// on public numbers only and is made before the database is looked at. A query that was charged stays charged, even if
// it then fails. One thread at a time.
// Dwork, McSherry, Nissim, Smith 2006, Theorem 1: there all noise has one scale λ, so that a query costs S(f_i)/λ;
// its proof multiplies conditional ratios and holds for a scale S(f_i)/ε_i a query.
template <class Database>
class AdaptiveSession {
 public:
  AdaptiveSession(Database database, const Epsilon& budget, Neighbours neighbours)
      : database_(std::move(database)), ledger_(budget), neighbours_(neighbours) {}

  // Errors: those of LaplaceMechanism::create, and kInvalidArgument for a query without a function (nothing is
  // charged); kBudgetExhausted; kLimitExceeded for a statistic beyond ±2^61. Throws EntropyError.
  Result<std::vector<std::int64_t>> answer(const SessionQuery<Database>& query, BitSource& bits) {
    if (!query.statistic) return Error{ErrorCode::kInvalidArgument, "the query has no function"};
    HEARSAY_TRY(const LaplaceMechanism laplace, LaplaceMechanism::create(query.cost, query.sensitivity, neighbours_));
    HEARSAY_CHECK_OK(ledger_.charge(query.cost));
    return laplace.release(query.statistic(database_), bits);
  }

  // Any other release about the database: `release(database)` must return a Result and be `cost`-differentially private
  // under `neighbours`. Errors: kInvalidArgument if those are not the session's; kBudgetExhausted; those of `release`.
  template <class Release>
  auto run(const Epsilon& cost, Neighbours neighbours, const Release& release)
      -> decltype(release(std::declval<const Database&>())) {
    if (neighbours != neighbours_) {
      return Error{ErrorCode::kInvalidArgument, "the mechanism protects other neighbours than the session"};
    }
    HEARSAY_CHECK_OK(ledger_.charge(cost));
    return release(database_);
  }

  const PrivacyLedger& ledger() const { return ledger_; }
  Neighbours neighbours() const { return neighbours_; }

 private:
  Database database_;
  PrivacyLedger ledger_;
  Neighbours neighbours_;
};

}  // namespace hearsay::central
