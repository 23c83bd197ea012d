#include "aggregator/central/audit/sampled_loss.h"

#include <string>

#include "aggregator/tails/distributions.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

// The answers and the error of one run as a text, for example "3 |-1 |".
using Transcript = std::string;
using TranscriptCounts = std::map<Transcript, std::uint64_t>;
struct Samples {
  TranscriptCounts chosen_from;
  TranscriptCounts tested_on;
};

Transcript transcript_of(const Run& run, const Rows& rows) {
  Answers seen;
  const Result<void> ended = attempted([&] { return run(rows, seen); });
  Transcript text;
  for (const std::vector<std::int64_t>& answer : seen) {
    for (const std::int64_t value : answer) text += std::to_string(value) + ' ';
    text += '|';
  }
  if (!ended) text += std::string(error_name(ended.error().code)) + ": " + ended.error().message;
  return text;
}

std::uint64_t runs_with(const TranscriptCounts& counts, const Transcript& transcript) {
  const auto here = counts.find(transcript);
  return here == counts.end() ? 0 : here->second;
}

// One half of the runs chooses an outcome, so the outcome's counts in the other half are binomial. The bound is wrong
// with probability at most 2·error.
Result<PairLoss> loss_of_samples(const Samples& first, const Samples& second, std::uint64_t runs, double error) {
  double best = 0;
  const Transcript* chosen = nullptr;
  for (const auto& [transcript, count] : first.chosen_from) {
    HEARSAY_TRY(const tails::ProportionBounds a, tails::clopper_pearson(count, runs, error));
    HEARSAY_TRY(const tails::ProportionBounds b,
                tails::clopper_pearson(runs_with(second.chosen_from, transcript), runs, error));
    if (chosen != nullptr && a.low <= best * b.high) continue;
    best = a.low / b.high;
    chosen = &transcript;
  }
  HEARSAY_TRY(const tails::ProportionBounds a,
              tails::clopper_pearson(runs_with(first.tested_on, *chosen), runs, error));
  HEARSAY_TRY(const tails::ProportionBounds b,
              tails::clopper_pearson(runs_with(second.tested_on, *chosen), runs, error));
  PairLoss loss;
  if (a.low > 0) loss.outcomes.push_back(outcome_from(a.low, b.high, 1e-9L));
  return loss;
}

}  // namespace

Result<LossOf> sampled_losses(const SamplePlan& plan, const Run& run) {
  if (plan.runs < 2 || plan.databases == 0 || !(plan.confidence > 0 && plan.confidence < 1)) {
    return Error{ErrorCode::kInvalidArgument, "samples need at least two runs, a database, and a confidence in (0, 1)"};
  }
  const std::uint64_t half = plan.runs / 2;
  const auto samples = remembered<Samples>([half, run](const Rows& rows) -> Result<Samples> {
    Samples drawn;
    for (std::uint64_t i = 0; i < half; ++i) {
      ++drawn.chosen_from[transcript_of(run, rows)];
      ++drawn.tested_on[transcript_of(run, rows)];
    }
    return drawn;
  });
  const auto databases = static_cast<double>(plan.databases);
  const double error = (1 - plan.confidence) / (2 * databases * databases);
  return LossOf([samples, half, error](const Rows& first, const Rows& second) -> Result<PairLoss> {
    HEARSAY_TRY(const Samples* a, samples(first));
    HEARSAY_TRY(const Samples* b, samples(second));
    return loss_of_samples(*a, *b, half, error);
  });
}

}  // namespace hearsay::central
