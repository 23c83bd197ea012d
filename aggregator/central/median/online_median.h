// The online median mechanism: answers linear queries one by one as they arrive. Only a few queries cost privacy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "aggregator/central/median/candidates.h"
#include "aggregator/central/neighbours.h"
#include "common/privacy/discrete_laplace.h"
#include "hearsay/epsilon.h"

namespace hearsay::central {

// What the curator and the analyst agree on before any query. The agreement is public.
struct MedianAgreement {
  Epsilon alpha;          // the guarantee is (alpha, tau)
  double tau;             // in [0, 1); with 0 the guarantee is pure
  Neighbours neighbours;  // which databases are neighbours; a database is a histogram over the domain
  std::size_t domain;     // the number of elements
  std::uint32_t size;     // m: the number of elements of a sparse database
  std::uint64_t unit;     // weights are multiples of 1/unit; unit is from 1 to 10^6, and 1 for predicates
  std::uint64_t queries;  // the most queries of a session, 1 to 2^32
  double delta;           // the error bound of the answers may fail with this probability, strictly in (0, 1)
  // The number of hard queries after which the session ends, at most 1,024. 0 stands for ⌊log2(number of sparse
  // databases)⌋ + 1. If `queries` is less, `queries` takes the place of this number.
  std::uint32_t hard = 0;
  // The share of alpha for the number of records; below alpha. kAddRemove needs this share; kReplaceOne must not have
  // one.
  std::optional<Epsilon> alpha_for_total;
};

// The scales, thresholds and error bounds that follow from the agreement. A gap is the distance between q(D) and the
// guess below, in units of 1/(m·unit) record. Immutable, thread-safe.
//
// How the mechanism answers a query q. Let S be the set of sparse databases that agree with the hard answers so far.
// Let N be the number of records, public or noised once. The guess is N/m times the median of q over S.
// - Easy: if |q(D) - guess| + ν < threshold() + ρ, the answer is the guess. The analyst learns of D only that q is
//   easy.
// - Hard: otherwise the answer is q(D) + noise. The mechanism then drops from S each database that is further from this
//   answer than tolerance(). With probability at least 1 - delta, every hard answer at least halves S.
// This is the sparse vector technique. Both ν and ρ are discrete Laplace noise. The mechanism draws ν for each query,
// and draws ρ again after each hard query. A round ends with a hard answer. Of the round's ε, 2/7 go to ρ, 3/7 to ν and
// 2/7 to the noise of the hard answer. A replaced, added or removed record moves q(D) by at most 1, as weights are in
// [0,1]. Rounds are composed optimally (composition.h).
//
// Guarantee: everything that a session publishes is (alpha, tau)-differentially private for adaptive queries: Pr[z in
// Z|D] <= e^alpha·Pr[z in Z|D'] + tau. A session publishes the answers, which of them are hard, and the end of the
// budget. The sampler cuts ρ and ν at ±2^62, which adds less than (1 + e^alpha)·2^-335 to tau, also if tau is 0.
//
// Source: Roth 2010, Theorem 6, which leaves the mechanism to Roth, Roughgarden 2010. Their mechanism compares a noisy
// share of agreeing databases with a random threshold. OnlineMedian compares the gap to the median by the sparse vector
// technique (Dwork et al. 2009; Lyu, Su, Li 2017, Algorithm 1).
class OnlineMedian {
 public:
  // Errors: kInvalidArgument; kDomainTooLarge (candidates.h); kOverflow and kScaleTooLarge for noise that is too large
  // to draw.
  static Result<OnlineMedian> create(const MedianAgreement& agreement);

  const MedianAgreement& agreement() const { return agreement_; }
  std::uint32_t hard_budget() const { return hard_; }
  const Rational& epsilon_per_round() const { return round_; }
  // Return the laws of the noise: ρ and ν, in units of a gap; the noise of a hard answer, in units of 1/unit record;
  // and the noise on the number of records, if there is any.
  const DiscreteLaplace& threshold_noise() const { return threshold_noise_; }
  const DiscreteLaplace& gap_noise() const { return gap_noise_; }
  const DiscreteLaplace& answer_noise() const { return answer_noise_; }
  const std::optional<DiscreteLaplace>& total_noise() const { return total_noise_; }

  // Returns how far, on any query, the nearest sparse database may be from D, as a share of the records. This is the
  // least of three bounds: 1; domain/(4m), by rounding the histogram; and √(ln(2·queries)/(2m)), by drawing from the
  // histogram. The last is Corollary 1 with Hoeffding's inequality in place of the fat-shattering dimension, as Remark
  // 1 allows.
  double sparse_error() const;

  // Return the threshold with which a gap is compared, and the largest distance at which a candidate agrees with a hard
  // answer. N = `total` records. Both are in units of a gap.
  std::int64_t threshold(std::int64_t total) const;
  std::int64_t tolerance(std::int64_t total) const;

  // Returns about N·sparse_error, plus twice the bounds on ρ, on ν and on the noise of a hard answer, plus the bound on
  // the noise of N. The unit is a record. With probability at least 1 - delta no answer is further from q(D) than this.
  // If `hard` is the default, the session then also answers all agreed queries.
  double error_bound(std::int64_t total) const;

  // Returns the least N with error_bound(N) <= eta·N: Theorem 6 with explicit constants. For kAddRemove, N is the
  // number after noise. Errors: kInvalidArgument unless eta lies in (sparse_error(), 1]; kOverflow above 2^32.
  Result<std::uint64_t> rows_needed(double eta) const;

  // Returns the gap of a query with `answer` = unit·q(D) and `median` = the median of unit·q(S), in units of 1/(m·unit)
  // record.
  std::int64_t gap(std::int64_t answer, std::int64_t total, std::int64_t median) const;
  // Keeps the candidates whose distance from the hard answer `answer` is at most tolerance(): see
  // Candidates::keep_within.
  void prune(Candidates& candidates, Weights weights, std::int64_t total, std::int64_t answer) const;

 private:
  OnlineMedian(const MedianAgreement& agreement, std::uint32_t hard, const Rational& round,
               const DiscreteLaplace& threshold_noise, const DiscreteLaplace& gap_noise,
               const DiscreteLaplace& answer_noise)
      : agreement_(agreement),
        hard_(hard),
        round_(round),
        threshold_noise_(threshold_noise),
        gap_noise_(gap_noise),
        answer_noise_(answer_noise) {}
  Result<void> bound_noise();

  MedianAgreement agreement_;
  std::uint32_t hard_;
  Rational round_;
  DiscreteLaplace threshold_noise_;
  DiscreteLaplace gap_noise_;
  DiscreteLaplace answer_noise_;
  std::optional<DiscreteLaplace> total_noise_;
  // Bounds on the magnitude of each noise, in units of a gap. With probability 1 - delta all draws of a session stay
  // within these bounds.
  std::int64_t threshold_reach_ = 0;
  std::int64_t gap_reach_ = 0;
  std::int64_t answer_reach_ = 0;
  std::int64_t total_reach_ = 0;
};

inline constexpr std::int64_t kMostMedianRecords = std::int64_t{1} << 32U;

}  // namespace hearsay::central
