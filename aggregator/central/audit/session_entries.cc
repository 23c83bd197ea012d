// Mechanisms that answer one query after another.
#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregator/central/audit/entries.h"
#include "aggregator/central/laplace/adaptive_session.h"
#include "aggregator/central/median/median_law.h"
#include "aggregator/tails/distributions.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

// Two elements, three sparse databases, three queries of which two may be hard. The error bound may fail with
// probability 0.99, which lowers the thresholds until hard queries are likely at few records.
Made median(const AuditSettings& settings) {
  constexpr double kTau = 1e-9;  // next to pure, and above the error of the enumerated law
  if (settings.domain != 2) return Error{ErrorCode::kInvalidArgument, "the online median is audited on 2 values"};
  const MedianAgreement agreement{settings.built, kTau, kReplace, 2, 2, 1, 3, 0.99, 2, std::nullopt};
  HEARSAY_TRY(const OnlineMedian mechanism, OnlineMedian::create(agreement));
  const auto laws = remembered<MedianLaw>([mechanism](const Rows& rows) {
    static const std::vector<std::vector<std::uint32_t>> kQueries{{1, 0}, {0, 1}, {1, 0}};
    const auto total = static_cast<std::int64_t>(rows.size());
    return median_law(mechanism, total, histogram_of(rows, 2), kQueries, {-45, total + 45});
  });
  // The law is good to 1e-12 of itself where it is above 1e-25 (median_law.h).
  const LossOf loss = [laws](const Rows& first, const Rows& second) -> Result<PairLoss> {
    HEARSAY_TRY(const MedianLaw* a, laws(first));
    HEARSAY_TRY(const MedianLaw* b, laws(second));
    std::pair<double, double> worst{1, 1};
    for (std::size_t z = 0; z < a->probabilities.size(); ++z) {
      const std::pair here{a->probabilities[z], b->probabilities[z]};
      if (here.second > 1e-25 && here.first * worst.second > worst.first * here.second) worst = here;
    }
    return PairLoss{false, {outcome_from(worst.first, worst.second, 1e-11L)}, false, std::nullopt};
  };
  AuditedMechanism audited = described(settings, kReplace, false, Evidence::kEnclosure, loss);
  audited.tau = kTau;
  audited.divergence = [laws](const Rows& first, const Rows& second, double alpha) -> Result<HockeyStick> {
    HEARSAY_TRY(const MedianLaw* a, laws(first));
    HEARSAY_TRY(const MedianLaw* b, laws(second));
    return hockey_stick(*a, *b, alpha);
  };
  return audited;
}

constexpr double kConfidence = 0.999999;
constexpr std::uint64_t kSamples = 200'000;  // half to choose an outcome, half to test it

using Transcript = std::pair<std::int64_t, std::int64_t>;
struct Samples {
  std::map<Transcript, std::uint64_t> chosen_from;
  std::map<Transcript, std::uint64_t> tested_on;
};

// The second query depends on the first answer; each costs half.
Result<Transcript> one_session(const Epsilon& budget, const Epsilon& cost, const Rows& rows) {
  const auto counter = [](std::uint32_t value) {
    return [value](const Rows& database) {
      return std::vector<std::int64_t>{std::count(database.begin(), database.end(), value)};
    };
  };
  AdaptiveSession<Rows> session(rows, budget, kReplace);
  HEARSAY_TRY(const auto first, session.answer({counter(0), whole(1), cost}, system_bit_source()));
  const std::uint32_t next = first[0] > 0 ? 0 : 1;
  HEARSAY_TRY(const auto second, session.answer({counter(next), whole(1), cost}, system_bit_source()));
  return Transcript{first[0], second[0]};
}

// Of a log-ratio: an outcome is chosen by the first half of the samples, so that the second half's counts of it are
// binomial. The bound is wrong with probability at most 2·error.
Result<PairLoss> sampled_loss(const Samples& first, const Samples& second, double error) {
  const auto found = [](const std::map<Transcript, std::uint64_t>& counts, const Transcript& at) {
    const auto here = counts.find(at);
    return here == counts.end() ? std::uint64_t{0} : here->second;
  };
  double best = 0;
  Transcript chosen{};
  for (const auto& [transcript, count] : first.chosen_from) {
    HEARSAY_TRY(const tails::ProportionBounds a, tails::clopper_pearson(count, kSamples / 2, error));
    HEARSAY_TRY(const tails::ProportionBounds b,
                tails::clopper_pearson(found(second.chosen_from, transcript), kSamples / 2, error));
    if (a.low <= best * b.high) continue;
    best = a.low / b.high;
    chosen = transcript;
  }
  HEARSAY_TRY(const tails::ProportionBounds a,
              tails::clopper_pearson(found(first.tested_on, chosen), kSamples / 2, error));
  HEARSAY_TRY(const tails::ProportionBounds b,
              tails::clopper_pearson(found(second.tested_on, chosen), kSamples / 2, error));
  PairLoss loss;
  if (a.low > 0) loss.outcomes.push_back(outcome_from(a.low, b.high, 1e-9L));
  return loss;
}

Made session(const AuditSettings& settings) {
  if (settings.domain != 2 || settings.rows > 4) {
    return Error{ErrorCode::kInvalidArgument, "sessions are sampled on 2 values and at most 4 rows"};
  }
  HEARSAY_TRY(const Epsilon cost, half(settings.built));
  const auto samples = remembered<Samples>([budget = settings.built, cost](const Rows& rows) -> Result<Samples> {
    Samples drawn;
    for (std::uint64_t i = 0; i < kSamples; ++i) {
      HEARSAY_TRY(const Transcript transcript, one_session(budget, cost, rows));
      ++(i % 2 == 0 ? drawn.chosen_from : drawn.tested_on)[transcript];
    }
    return drawn;
  });
  // 2·error for each ordered pair of the at most rows + 1 databases.
  const double databases = settings.rows + 1;
  const double error = (1 - kConfidence) / (2 * databases * databases);
  const LossOf loss = [samples, error](const Rows& first, const Rows& second) -> Result<PairLoss> {
    HEARSAY_TRY(const Samples* a, samples(first));
    HEARSAY_TRY(const Samples* b, samples(second));
    return sampled_loss(*a, *b, error);
  };
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
