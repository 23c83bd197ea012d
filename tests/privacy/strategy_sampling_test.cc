// Audits the channel `strategy` with shifts by sampling: do the payloads that the device's code draws betray more
// about a record than the task states?
//
// The task has one attribute of 6 values, and a half-circle is the only row. The record 0 gives the outputs 0, 4 and 5
// with the greater probability; the record 3 gives the outputs 1, 2 and 3 with the greater probability. So the event
// "the output is 0, 4 or 5" has the whole log-ratio ε = 1, with probabilities 0.731 and 0.269. So does the opposite
// event.
//
// A lower Clopper-Pearson bound on the probability for one record and an upper bound for the other give a lower bound
// on the log-ratio. There are 2 events and 2 bounds for each event. Each bound is wrong with probability 1e-8/4, so
// the false alarm of a case is 1e-8.
//
// Power, with kDraws = 4e5: the logarithms of the two frequencies have standard deviations 9.6e-4 and 2.6e-3. The
// bounds, each 5.9 standard deviations wide, lose 2.1e-2. If the ratio of the greater to the smaller entries is 1.05
// times as large, the log-ratio grows by 4.9e-2. This growth is 10 standard deviations more than the bounds lose, so
// the test misses with probability below 1e-20.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "common/channel/channel.h"
#include "tests/support/bit_sources.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kDraws = 400'000;
constexpr double kOneBound = 1e-8 / 4;

// Counts how often the output is 0, 4 or 5.
double sample(const Task& task, const Channel& channel, std::uint32_t value) {
  const Record record = Record::create(task.schema(), {value}).value();
  tests::CounterBitSource bits("strategy sampling " + std::to_string(value));
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const std::vector<std::uint8_t> payload = channel.randomize(task.arrangement(), record, bits);
    const std::uint32_t output = std::get<StrategyChannel>(channel.kind()).try_unpack(payload).value();
    count += output == 0 || output > 3 ? 1 : 0;
  }
  return static_cast<double>(count);
}

// Returns a lower bound on the log-ratio. The bound is wrong with probability 1e-8.
double found(const Task& task, const Channel& channel) {
  using Binomial = boost::math::binomial_distribution<>;
  const auto draws = static_cast<double>(kDraws);
  const double first = sample(task, channel, 0);
  const double second = sample(task, channel, 3);
  const auto least = [&](double more, double less) {
    return std::log(Binomial::find_lower_bound_on_p(draws, more, kOneBound) /
                    Binomial::find_upper_bound_on_p(draws, less, kOneBound));
  };
  return std::max(least(first, second), least(draws - second, draws - first));
}

TEST_CASE("shifts: sampling finds a loss of at most epsilon, and a planted loss 5 % above it") {
  const Task task = tests::strategy_task("r6", tests::half_circle_rows(6, {1}));
  const double honest = found(task, task.channel());
  CHECK(honest <= 1);
  CHECK(honest > 0.97);  // the bounds lose 2.1e-2, and chance up to 3 standard deviations of 2.8e-3
  const StrategyChannel& channel = tests::strategy_of(task);
  StrategySpec leaking = std::get<StrategySpec>(task.spec().channel);
  // Moves so much from the small entries to the large ones that their ratio is 1.05 times as large.
  const double more = leaking.matrix[0];
  const double less = leaking.matrix[3];
  const auto moved = static_cast<std::uint32_t>(less - (more + less) / (1 + 1.05 * more / less));
  for (std::size_t z = 0; z < 3; ++z) {
    leaking.matrix[z] += moved;
    leaking.matrix[z + 3] -= moved;
  }
  CHECK(found(task, Channel(channel.with_matrix(leaking).value())) > 1);
}

}  // namespace
}  // namespace hearsay
