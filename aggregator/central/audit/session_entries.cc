// Mechanisms that answer one query after another.
#include <algorithm>
#include <utility>

#include "aggregator/central/audit/entries.h"
#include "aggregator/central/audit/sampled_loss.h"
#include "aggregator/central/laplace/adaptive_session.h"
#include "aggregator/central/median/median_law.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

// Asks three queries over two values. δ, the probability with which the error bound may fail, is 0.99. A large δ lowers
// the thresholds, so hard queries are likely even with few records.
Made median(const AuditSettings& settings) {
  constexpr double kTau = 1e-9;  // above the error of the enumerated law
  if (settings.domain != 2) return Error{ErrorCode::kInvalidArgument, "the online median is audited only on 2 values"};
  const MedianAgreement agreement{settings.built, kTau, kReplace, 2, 2, 1, 3, 0.99, 2, std::nullopt};
  HEARSAY_TRY(const OnlineMedian mechanism, OnlineMedian::create(agreement));
  const auto laws = remembered<Published<MedianLaw>>([mechanism](const Rows& rows) {
    static const std::vector<std::vector<std::uint32_t>> kQueries{{1, 0}, {0, 1}, {1, 0}};
    const auto total = static_cast<std::int64_t>(rows.size());
    return published_law<MedianLaw>(attempted([&] {
      return median_law(mechanism, total, histogram_of(rows, 2), kQueries, {-45, total + 45});
    }));
  });
  // The relative error of the law is at most 1e-12 for probabilities above 1e-25 (median_law.h).
  const LossOf loss = [laws](const Rows& first, const Rows& second) -> Result<PairLoss> {
    HEARSAY_TRY(const Published<MedianLaw>* a, laws(first));
    HEARSAY_TRY(const Published<MedianLaw>* b, laws(second));
    if (auto told = loss_of_errors(*a, *b)) return *std::move(told);
    const std::vector<double>& of_first = std::get<MedianLaw>(*a).probabilities;
    const std::vector<double>& of_second = std::get<MedianLaw>(*b).probabilities;
    std::pair<double, double> worst{1, 1};
    for (std::size_t z = 0; z < of_first.size(); ++z) {
      const std::pair here{of_first[z], of_second[z]};
      if (here.second > 1e-25 && here.first * worst.second > worst.first * here.second) worst = here;
    }
    return PairLoss{false, {outcome_from(worst.first, worst.second, 1e-11L)}, false, std::nullopt};
  };
  AuditedMechanism audited = described(settings, kReplace, false, Evidence::kEnclosure, loss);
  audited.tau = kTau;
  audited.divergence = [laws](const Rows& first, const Rows& second, double alpha) -> Result<HockeyStick> {
    HEARSAY_TRY(const Published<MedianLaw>* a, laws(first));
    HEARSAY_TRY(const Published<MedianLaw>* b, laws(second));
    if (const auto told = loss_of_errors(*a, *b)) {
      const double divergence = told->infinite ? 1 : 0;
      return HockeyStick{divergence, divergence};
    }
    return hockey_stick(std::get<MedianLaw>(*a), std::get<MedianLaw>(*b), alpha);
  };
  return audited;
}

constexpr double kConfidence = 0.999999;
constexpr std::uint64_t kRuns = 200'000;

Result<void> one_session(const Epsilon& budget, const Epsilon& cost, const Rows& rows, Answers& seen) {
  const auto counter = [](std::uint32_t value) {
    return [value](const Rows& database) {
      return std::vector<std::int64_t>{std::count(database.begin(), database.end(), value)};
    };
  };
  AdaptiveSession<Rows> session(rows, budget, kReplace);
  HEARSAY_TRY(auto first, session.answer({counter(0), 1, whole(1), cost}, system_bit_source()));
  const std::uint32_t next = first[0] > 0 ? 0 : 1;
  seen.push_back(std::move(first));
  HEARSAY_TRY(auto second, session.answer({counter(next), 1, whole(1), cost}, system_bit_source()));
  seen.push_back(std::move(second));
  return {};
}

Made session(const AuditSettings& settings) {
  if (settings.domain != 2 || settings.rows > 4) {
    return Error{ErrorCode::kInvalidArgument, "sessions are audited by samples, on 2 values and at most 4 rows"};
  }
  HEARSAY_TRY(const Epsilon cost, half(settings.built));
  const std::uint64_t databases = settings.rows + 1;
  HEARSAY_TRY(const LossOf loss, sampled_losses({kRuns, databases, kConfidence},
                                                [budget = settings.built, cost](const Rows& rows, Answers& seen) {
                                                  return one_session(budget, cost, rows, seen);
                                                }));
  AuditedMechanism audited = described(settings, kReplace, false, Evidence::kSampled, loss);
  audited.confidence = kConfidence;
  return audited;
}

}  // namespace

std::vector<CatalogueEntry> session_entries() {
  using S = const AuditSettings&;
  return {
      {"adaptive-session", "two counts, the second chosen by the first; sampled", "1", 2, 2,
       [](S s) { return session(s); }},
      {"online-median", "online median mechanism, (alpha, tau) with tau = 1e-9", "4", 2, 110,
       [](S s) { return median(s); }},
  };
}

}  // namespace hearsay::central
