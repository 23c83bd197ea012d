// ρ is the noise on the threshold (online_median.h). A stretch is the part of a session up to the next hard answer.

#include "aggregator/central/median/median_law.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

using Queries = std::vector<std::vector<std::uint32_t>>;

constexpr double kMostOutcomes = 0x1p22;
constexpr unsigned kTailBits = 128;  // beyond its tail bound, ρ has probability less than 2^-128
constexpr double kRounding = 1e-11;

class Walk {
 public:
  Walk(const OnlineMedian& mechanism, std::int64_t total, std::span<const std::uint64_t> histogram,
       const Queries& queries, AnswerWindow window)
      : mechanism_(mechanism), total_(total), queries_(queries), window_(window) {
    for (const auto& query : queries) {
      std::int64_t answer = 0;
      for (std::size_t x = 0; x < query.size(); ++x) answer += query[x] * static_cast<std::int64_t>(histogram[x]);
      answers_.push_back(answer);
      const DiscreteLaplace& noise = mechanism.answer_noise();
      outside_.push_back(upper_tail<double>(noise, window.high + 1 - answer) +
                         upper_tail<double>(noise, answer - window.low + 1));
      listed_.emplace_back();
      for (std::int64_t a = window.low; a <= window.high; ++a) {
        listed_.back().push_back(std::exp(noise.log_probability(a - answer)));
      }
    }
  }

  // Adds the outcomes of the queries from `next` on, after `hard` hard answers. Query `next` must exist, and `hard`
  // must be below the hard budget.
  void visit(std::size_t next, std::uint32_t hard, const Candidates& candidates, double probability) {
    // The reference stays valid while the map grows.
    const std::vector<double>& first_hard = stretch(next, candidates);
    law_.probabilities.push_back(probability * first_hard.back());
    for (std::size_t at = next; at < queries_.size(); ++at) {
      const double here = probability * first_hard[at - next];
      law_.unlisted += here * outside_[at];
      const bool ends = at + 1 == queries_.size() || hard + 1 == mechanism_.hard_budget();
      for (std::int64_t a = window_.low; a <= window_.high; ++a) {
        const double outcome = here * listed_[at][static_cast<std::size_t>(a - window_.low)];
        if (ends) {
          law_.probabilities.push_back(outcome);
          continue;
        }
        Candidates left = candidates;
        mechanism_.prune(left, queries_[at], total_, a);
        visit(at + 1, hard + 1, left, outcome);
      }
    }
  }

  MedianLaw take() { return std::move(law_); }

 private:
  // Returns the probabilities that the first hard query of the stretch is query `next`, the one after it, and so on.
  // The last entry is the probability that no query is hard.
  const std::vector<double>& stretch(std::size_t next, const Candidates& candidates) {
    std::vector<std::int64_t> gaps;
    for (std::size_t at = next; at < queries_.size(); ++at) {
      gaps.push_back(mechanism_.gap(answers_[at], total_, candidates.median(queries_[at])));
    }
    const auto [entry, is_new] = stretches_.try_emplace(gaps, gaps.size() + 1);
    std::vector<double>& first_hard = entry->second;
    if (!is_new) return first_hard;
    const std::int64_t threshold = mechanism_.threshold(total_);
    const auto reach = static_cast<std::int64_t>(mechanism_.threshold_noise().tail_bound(kTailBits));
    for (std::int64_t rho = -reach; rho <= reach; ++rho) {
      double easy_so_far = std::exp(mechanism_.threshold_noise().log_probability(rho));
      for (std::size_t i = 0; i < gaps.size(); ++i) {
        const double is_hard = upper_tail<double>(mechanism_.gap_noise(), threshold + rho - gaps[i]);
        first_hard[i] += easy_so_far * is_hard;
        easy_so_far *= upper_tail<double>(mechanism_.gap_noise(), 1 - (threshold + rho - gaps[i]));
      }
      first_hard.back() += easy_so_far;
    }
    return first_hard;
  }

  const OnlineMedian& mechanism_;
  std::int64_t total_;
  const Queries& queries_;
  AnswerWindow window_;
  // For each query: unit·q(D), the probability of each hard answer inside the window, and the probability outside.
  std::vector<std::int64_t> answers_;
  std::vector<std::vector<double>> listed_;
  std::vector<double> outside_;
  // The results of stretch() for each list of gaps.
  std::map<std::vector<std::int64_t>, std::vector<double>> stretches_;
  MedianLaw law_{{}, 0};
};

// Returns the number of outcomes of `left` queries, at most `hard` of them hard. A hard query has `answers` listed
// answers.
double count_outcomes(std::size_t left, std::uint32_t hard, double answers) {
  std::vector<double> outcomes(left + 1, 1);
  for (std::uint32_t h = 0; h < hard; ++h) {
    std::vector<double> more(left + 1, 1);
    for (std::size_t i = 1; i <= left; ++i) more[i] = more[i - 1] + answers * outcomes[i - 1];
    if (more == outcomes) break;
    outcomes = std::move(more);
  }
  return outcomes[left];
}

}  // namespace

Result<MedianLaw> median_law(const OnlineMedian& mechanism, std::int64_t total,
                             std::span<const std::uint64_t> histogram, const Queries& queries, AnswerWindow window) {
  const MedianAgreement& agreement = mechanism.agreement();
  const auto fits = [&](const auto& query) {
    return query.size() == agreement.domain &&
           std::ranges::all_of(query, [&](std::uint32_t weight) { return weight <= agreement.unit; });
  };
  if (histogram.size() != agreement.domain || !std::ranges::all_of(queries, fits) ||
      queries.size() > agreement.queries) {
    return Error{ErrorCode::kInvalidArgument,
                 "the histogram or the queries do not fit the mechanism's domain and queries"};
  }
  std::uint64_t records = 0;
  for (const std::uint64_t count : histogram) {
    if (count > static_cast<std::uint64_t>(kMostMedianRecords) - records) {
      return Error{ErrorCode::kInvalidArgument, "there may be at most 2^32 records"};
    }
    records += count;
  }
  if (total < 0 || total > 2 * kMostMedianRecords) {
    return Error{ErrorCode::kInvalidArgument, "the number of records must lie between 0 and 2^33"};
  }
  if (window.low > window.high || window.low < -(std::int64_t{1} << 40U) || window.high > std::int64_t{1} << 40U) {
    return Error{ErrorCode::kInvalidArgument, "the window must hold an answer and lie within ±2^40"};
  }
  const double answers = static_cast<double>(window.high - window.low) + 1;
  if (queries.empty()) return MedianLaw{{1}, 0};
  if (queries.size() > 64 || count_outcomes(queries.size(), mechanism.hard_budget(), answers) > kMostOutcomes) {
    return Error{ErrorCode::kDomainTooLarge, "more than 2^22 outcomes would be listed"};
  }
  HEARSAY_TRY(const Candidates candidates, Candidates::create(agreement.domain, agreement.size));
  Walk walk(mechanism, total, histogram, queries, window);
  walk.visit(0, 0, candidates, 1);
  return walk.take();
}

Result<HockeyStick> hockey_stick(const MedianLaw& a, const MedianLaw& b, double alpha) {
  if (a.probabilities.size() != b.probabilities.size() || !(alpha >= 0 && std::isfinite(alpha))) {
    return Error{ErrorCode::kInvalidArgument, "the laws must list the same outcomes, and alpha be finite"};
  }
  const double factor = std::exp(alpha);  // infinite if alpha is large
  double sum = 0;
  for (std::size_t i = 0; i < a.probabilities.size(); ++i) {
    const double covered = b.probabilities[i] == 0 ? 0 : factor * b.probabilities[i];
    sum += std::max(0.0, a.probabilities[i] - covered);
  }
  return HockeyStick{sum, sum + a.unlisted + kRounding};
}

}  // namespace hearsay::central
