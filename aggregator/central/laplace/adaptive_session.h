// An analyst's session: queries that may depend on all earlier answers, under one budget.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "aggregator/central/laplace/laplace_mechanism.h"
#include "aggregator/central/laplace/privacy_ledger.h"
#include "common/base/try.h"

namespace hearsay::central {

// A query to a session: the function to compute, the number of integers in its answer, their sensitivity, and the cost.
//
// `statistic` is a pure function that the analyst chose and the curator runs. For every database the analyst sees
// `dimension` noisy integers. A function that throws gives zeros. Missing integers are 0, and extra integers are
// ignored. All integers are clamped to ±2^61, so the answer to a statistic beyond ±2^61 is wrong by the excess. The
// sensitivity must hold for the integers after these rules. The session cannot check the sensitivity, and it cannot
// check that the function has no side effects. The curator must check both before the function runs.
template <class Database>
struct SessionQuery {
  std::function<std::vector<std::int64_t>(const Database&)> statistic;
  std::size_t dimension;  // the number of integers in the answer, at least 1; public
  // The L1 sensitivity under the session's neighbours. The analyst must be able to compute this number without the
  // data.
  Rational sensitivity;
  Epsilon cost;  // ε_i; the noise has scale sensitivity/cost
};

template <class T>
inline constexpr bool kIsResult = false;
template <class T>
inline constexpr bool kIsResult<Result<T>> = true;

// A release that has an answer for every database. The release must not return a Result, since no noise hides whether
// there is an error. Before you run the release, check everything that may fail for public reasons (ε, a public number
// of records).
template <class Release, class Database>
concept AlwaysAnswers = std::invocable<const Release&, const Database&> &&
    !kIsResult<std::remove_cvref_t<std::invoke_result_t<const Release&, const Database&>>>;

// Holds a database and answers queries f_1, f_2, ... with Laplace noise, as long as the sum of their costs ε_i is at
// most the budget ε. All answers together are ε-differentially private, also if a query depends on earlier answers. The
// session refuses a query for public reasons only, before it looks at the database. A query that was charged stays
// charged, even if there are no random bits for its noise. The time of an answer depends on the function and the data.
// Do not let the analyst measure time: the guarantee does not cover time. Thread-safety: one thread at a time.
//
// Dwork, McSherry, Nissim, Smith 2006, Theorem 1. In the paper all noise has one scale λ, so a query f_i of sensitivity
// S(f_i) costs S(f_i)/λ. The proof multiplies conditional ratios, so the theorem also holds if each query has its own
// scale S(f_i)/ε_i.
template <class Database>
class AdaptiveSession {
 public:
  AdaptiveSession(Database database, const Epsilon& budget, Neighbours neighbours)
      : database_(std::move(database)), ledger_(budget), neighbours_(neighbours) {}

  // Returns the query's noisy integers. An error charges nothing. Errors: those of LaplaceMechanism::create;
  // kInvalidArgument (a query without a function, or with dimension 0); kBudgetExhausted. Throws EntropyError.
  Result<std::vector<std::int64_t>> answer(const SessionQuery<Database>& query, BitSource& bits) {
    if (!query.statistic || query.dimension == 0) {
      return Error{ErrorCode::kInvalidArgument, "the query has no function or no dimension"};
    }
    HEARSAY_TRY(const LaplaceMechanism laplace, LaplaceMechanism::create(query.cost, query.sensitivity, neighbours_));
    HEARSAY_CHECK_OK(charge(query.cost));
    return laplace.release(computed(query), bits);
  }

  // Runs a release that is no SessionQuery on the database. Everything that the release returns, sizes included, must
  // be `cost`-differentially private under `neighbours`. The release must be the curator's, not the analyst's, and must
  // not throw. If the release throws anything but EntropyError, the session ends. Errors: kInvalidArgument (other
  // neighbours than the session's), kBudgetExhausted, kInternal (the release threw). Throws EntropyError.
  template <AlwaysAnswers<Database> Release>
  auto run(const Epsilon& cost, Neighbours neighbours, const Release& release)
      -> Result<std::invoke_result_t<const Release&, const Database&>> {
    if (neighbours != neighbours_) {
      return Error{ErrorCode::kInvalidArgument, "the release and the session protect different neighbours"};
    }
    HEARSAY_CHECK_OK(charge(cost));
    try {
      return release(database_);
    } catch (const EntropyError&) {
      throw;
    } catch (...) {
      ended_ = true;
      return Error{ErrorCode::kInternal, "the release failed; the session has ended"};
    }
  }

  const PrivacyLedger& ledger() const { return ledger_; }
  Neighbours neighbours() const { return neighbours_; }

 private:
  Result<void> charge(const Epsilon& cost) {
    if (ended_) return Error{ErrorCode::kBudgetExhausted, "the session has ended"};
    return ledger_.charge(cost);
  }

  // Returns `dimension` integers, also if the function throws or returns another number of integers.
  std::vector<std::int64_t> computed(const SessionQuery<Database>& query) const {
    std::vector<std::int64_t> value(query.dimension);
    try {
      const std::vector<std::int64_t> given = query.statistic(database_);
      std::copy_n(given.begin(), std::min(given.size(), value.size()), value.begin());
    } catch (...) {
      return value;  // zeros
    }
    return value;
  }

  Database database_;
  PrivacyLedger ledger_;
  Neighbours neighbours_;
  bool ended_ = false;
};

}  // namespace hearsay::central
