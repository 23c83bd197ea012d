// Audits the channel `laplace` by sampling: do the payloads that the device's code draws betray more about a record
// than the task states?
//
// Over k booleans the records "all no" and "all yes" differ in every coordinate. The log-ratio of each coordinate is
// at most ε/k. With the common scale t the event y_j >= 1 reaches the whole log-ratio: log Pr[y_j >= 1 | +1] - log
// Pr[y_j >= 1 | -1] = 2/t. So does the event y_j <= -1. The k coordinates are independent and have the same law, so
// their counts are added up: kDraws·k draws for each record.
//
// There are 14 events E (y >= v or y <= v, -3 <= v <= 3), and two orders of the records. A lower Clopper-Pearson bound
// on Pr[E|x] and an upper bound on Pr[E|x'] give a lower bound on the log-ratio. 14 events · 2 orders · 2 bounds = 56
// bounds. Each bound is wrong with probability 1e-8/56, so the false alarm of a case is 1e-8.
//
// Power for k = 4, ε = 1, t = 8, q = exp(-1/8): Pr[y >= 1|+1] = 1/(1+q) = 0.531, Pr[y >= 1|-1] = q²/(1+q) = 0.414.
// With 4e6 draws the standard deviation of the measured log-ratio is 7.6e-4. The bounds, each 6.3 standard deviations
// wide, lose 6.7e-3. If the scale is divided by 1.05, the log-ratio of 0.25 grows by 1.25e-2. This growth is 7.6
// standard deviations more than the bounds lose, so the test misses with probability below 1e-13.
//
// `paper` spends less: with k = 4 and ε = 1 the log-ratio of a coordinate is 0.158. So the test of `paper` has ε = 4,
// where 5 % of the log-ratio are 3.2e-2, and the bounds lose 7.4e-3.
//
// `explicit`: one boolean, whose vectors are all -2 and all 2 in 4 coordinates. Then Δ = 16, and the events y >= 2 and
// y <= -2 reach the whole log-ratio of a coordinate, 4/t = ε/4. With ε = 1, t = 16. Then Pr[y >= 2] is 0.516 for one
// record and 0.402 for the other, and the bounds lose about as much as for k = 4 above.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "common/audit/audit.h"
#include "tests/support/bit_sources.h"
#include "tests/support/explicit_tasks.h"
#include "tests/support/laplace_tasks.h"

namespace hearsay {
namespace {

using tests::laplace_task;
using tests::ratio;

constexpr std::uint64_t kDraws = 1'000'000;
constexpr std::int64_t kReach = 3;
constexpr std::size_t kEvents = 2 * (2 * kReach + 1);
constexpr double kFalseAlarm = 1e-8;
constexpr double kOneBound = kFalseAlarm / (kEvents * 2 * 2);

using Counts = std::array<std::uint64_t, kEvents>;
using Binomial = boost::math::binomial_distribution<>;

Counts sample(const Task& task, const Channel& channel, const Record& record, const std::string& key) {
  const auto& laplace = std::get<LaplaceChannel>(channel.kind());
  tests::CounterBitSource bits(key);
  // Values below -kReach and above kReach share a cell each.
  std::array<std::uint64_t, 2 * kReach + 3> cells{};
  std::vector<std::int32_t> y(laplace.coordinates());
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const std::vector<std::uint8_t> payload = channel.randomize(task.arrangement(), record, bits);
    if (!laplace.unpack(payload, y)) FAIL("an honest payload is refused");
    for (std::size_t j = 0; j < task.arrangement().dimension(); ++j) {
      ++cells[static_cast<std::size_t>(std::clamp<std::int64_t>(y[j], -kReach - 1, kReach + 1) + kReach + 1)];
    }
  }
  Counts counts{};
  for (std::size_t v = 1; v + 1 < cells.size(); ++v) {
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      if (cell >= v) counts[v - 1] += cells[cell];
      if (cell <= v) counts[kEvents / 2 + v - 1] += cells[cell];
    }
  }
  return counts;
}

// Returns a lower bound on the largest log-ratio of a coordinate between the two records. The bound is wrong with
// probability kFalseAlarm.
double found(const Task& task, const Channel& channel, const std::string& key) {
  const std::size_t k = task.schema().size();
  const auto constant = [&](std::uint32_t value) {
    return Record::create(task.schema(), std::vector<std::uint32_t>(k, value)).value();
  };
  const std::array<Counts, 2> counts = {sample(task, channel, constant(0), key + " no"),
                                        sample(task, channel, constant(1), key + " yes")};
  const auto draws = static_cast<double>(kDraws * task.arrangement().dimension());
  double largest = 0;
  for (std::size_t event = 0; event < kEvents; ++event) {
    for (const std::size_t first : {0U, 1U}) {
      const auto successes = static_cast<double>(counts[first][event]);
      const auto others = static_cast<double>(counts[1 - first][event]);
      const double low = Binomial::find_lower_bound_on_p(draws, successes, kOneBound);
      const double high = Binomial::find_upper_bound_on_p(draws, others, kOneBound);
      if (low > 0) largest = std::max(largest, std::log(low / high));
    }
  }
  return largest;
}

Channel leaking(const Task& task) {
  std::vector<Rational> scales = tests::scales_of(task);
  for (Rational& scale : scales) scale = scale.times(ratio(20, 21)).value();
  return tests::planted(task, scales);
}

TEST_CASE("tight: sampling finds a loss of at most epsilon, and a planted loss 5 % above it") {
  const Task task = laplace_task("b b b b", "1");
  const double stated = 1.0 / 4;
  const double honest = found(task, task.channel(), "tight");
  CHECK(honest <= stated);
  CHECK(honest > 0.95 * stated);  // the bounds lose 6.7e-3 of 0.25 (2.7 %), and chance up to 3 standard deviations
  CHECK(found(task, leaking(task), "tight leaking") > stated);
}

TEST_CASE("paper: sampling finds at most the loss that the audit states, and a planted loss 5 % above it") {
  const Task task = laplace_task("b b b b", "4", {LaplaceCalibration::kPaper, {}});
  const double stated = audit(task, task.channel()).value().actual.approximate() / 4;
  const double honest = found(task, task.channel(), "paper");
  CHECK(honest <= stated);
  CHECK(honest > 0.95 * stated);
  CHECK(found(task, leaking(task), "paper leaking") > stated);
}

TEST_CASE("explicit: sampling finds a loss of at most epsilon, and a planted loss 5 % above it") {
  const ExplicitSpec vectors{4, {-2, -2, -2, -2, 2, 2, 2, 2}, {{"a0", {1, 1, 1, 1}}}};
  const Task task = Task::create(tests::explicit_spec("b", vectors)).value();
  const double stated = 1.0 / 4;
  const double honest = found(task, task.channel(), "explicit");
  CHECK(honest <= stated);
  CHECK(honest > 0.95 * stated);
  CHECK(found(task, leaking(task), "explicit leaking") > stated);
}

}  // namespace
}  // namespace hearsay
