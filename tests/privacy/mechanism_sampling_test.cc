// Audits `literals` and `characters` with the channels `sampled` and `laplace` by sampling: do the reports that the
// device's code draws betray more about a record than the task states?
//
// Reports come from records x drawn uniformly. A record x has at most one partner y, and the partner of y is x. An
// event of a report of x is `own` if it speaks for x, and `other` if it speaks as much for y:
// - `sampled`: own if the answer is the true value of x, other if it is the true value of y. For each group, partners
//   have different true values. Records without a partner are not counted.
// - `laplace`: own if y_j is on the side of a_j(x), other if it is on the other side, for every coordinate j in which
//   x and y differ (two records at the largest distance).
//
// Suppose that the loss of a counted event is at most s. For `sampled`, s = ε. For `laplace` with the scale t, s = 2/t
// for each coordinate, of Δ/t = ε in all. Since partners are mutual, Pr[own] <= e^s·Pr[other], summed over all x. So a
// counted event is `own` with probability at most 1/(1+e^-s). A lower Clopper-Pearson bound on this probability, wrong
// with probability 1e-8, gives a lower bound on s. The test has 13 such cases.
//
// Power: with N counted events, the logarithm of the odds has the standard deviation σ = 1/√(N·p(1-p)), p = 1/(1+e^-s).
// The bound loses 5.6σ. The planted client has the noise of 1.05·ε. The planted loss exceeds s by more than 10σ in
// every case, with the least N that the cases check. So the test misses with probability below 3e-6. For honest reports
// the bound is above 0.9·s.
#include <doctest/doctest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "common/privacy/coin.h"
#include "tests/support/bit_sources.h"
#include "tests/support/laplace_tasks.h"
#include "tests/support/sampled_tasks.h"

namespace hearsay {
namespace {

using tests::groups_of;
using tests::laplace_of;
using tests::partition;
using tests::sampled_of;
using tests::sampled_task;

constexpr double kFalseAlarm = 1e-8;

struct Events {
  std::uint64_t own = 0;
  std::uint64_t other = 0;
};

// Returns a lower bound on the largest loss of a counted event. The bound is wrong with probability kFalseAlarm.
double loss_found(const Events& events) {
  const auto counted = static_cast<double>(events.own + events.other);
  const double p = boost::math::binomial_distribution<>::find_lower_bound_on_p(counted, static_cast<double>(events.own),
                                                                               kFalseAlarm);
  return std::log(p / (1 - p));
}

// Checks that the loss of honest reports is nearly `stated` but not more, and that the test finds reports with the
// noise of 1.05·ε.
void check_losses(double stated, const Events& honest, const Events& leaking, std::uint64_t least_counted) {
  CHECK(honest.own + honest.other >= least_counted);
  CHECK(loss_found(honest) <= stated);
  CHECK(loss_found(honest) > 0.9 * stated);
  CHECK(loss_found(leaking) > stated);
}

struct Pair {
  const char* epsilon;
  const char* more;
};
constexpr Pair kQuarter{"0.25", "0.2625"};
constexpr Pair kOne{"1", "1.05"};
constexpr Pair kFour{"4", "4.2"};

// Returns, for one group, the partner of each record, or the record itself if there is no partner. Records are sorted
// by true value. The partners of the lower half are in the upper half.
std::vector<std::size_t> partners(const std::vector<std::uint32_t>& truth) {
  std::vector<std::size_t> order(truth.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return truth[a] < truth[b]; });
  std::vector<std::size_t> partner(truth.size());
  std::iota(partner.begin(), partner.end(), 0);
  const std::size_t half = truth.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const std::size_t a = order[i];
    const std::size_t b = order[i + half];
    if (truth[a] == truth[b]) continue;
    partner[a] = b;
    partner[b] = a;
  }
  return partner;
}

Events sample_sampled(const Task& task, const Channel& channel, std::uint64_t draws, const std::string& key) {
  const auto& sampled = std::get<SampledChannel>(channel.kind());
  const std::vector<Record> records = tests::all_records(task.schema());
  std::vector<std::vector<std::uint32_t>> truth(sampled.groups());
  std::vector<std::vector<std::size_t>> partner;
  for (std::uint64_t group = 0; group < sampled.groups(); ++group) {
    for (const Record& record : records) truth[group].push_back(sampled.true_value(group, record));
    partner.push_back(partners(truth[group]));
  }
  tests::CounterBitSource bits(key);
  tests::CounterBitSource choices(key + " records");
  BitCoin coin(choices);
  Events events;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::size_t x = coin.uniform_below(records.size());
    const auto payload = channel.randomize(task.arrangement(), records[x], bits);
    const auto report = sampled.unpack(payload);
    if (!report) FAIL("an honest payload is refused");
    const std::size_t y = partner[report->group][x];
    if (y == x) continue;
    if (report->answer == truth[report->group][x]) ++events.own;
    if (report->answer == truth[report->group][y]) ++events.other;
  }
  return events;
}

void check_sampled(const tests::SampledCase& c, const Pair& pair, std::uint64_t draws, std::uint64_t least_counted) {
  CAPTURE(pair.epsilon);
  const Task task = sampled_task(c, pair.epsilon);
  const Task more = sampled_task(c, pair.more);
  const std::string key = c.name + " " + pair.epsilon;
  check_losses(task.epsilon().approximate(), sample_sampled(task, task.channel(), draws, key),
               sample_sampled(task, more.channel(), draws, key + " leaking"), least_counted);
}

const tests::SampledCase kOnCharacters{
    "characters", "b c3 r4 b", CharactersSpec{2},
    groups_of(
        {{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 2}, {GroupKind::kRaw, 2, 1}, {GroupKind::kEven, 3, 1}})};
const tests::SampledCase kOnLiterals{"literals", "b c3 r4 b", LiteralsSpec{}, partition(2)};

TEST_CASE("characters sampled: sampling finds a loss of at most epsilon, and a planted loss 5 % above it") {
  check_sampled(kOnCharacters, kQuarter, 6'000'000, 2'700'000);
  check_sampled(kOnCharacters, kOne, 1'000'000, 450'000);
  check_sampled(kOnCharacters, kFour, 1'000'000, 450'000);
}

TEST_CASE("literals sampled: sampling finds a loss of at most epsilon, and a planted loss 5 % above it") {
  check_sampled(kOnLiterals, kQuarter, 6'000'000, 2'700'000);
  check_sampled(kOnLiterals, kOne, 1'000'000, 450'000);
  check_sampled(kOnLiterals, kFour, 1'000'000, 450'000);
}

const tests::SampledCase kOnQuestions{
    "questions",
    "b c3 r4 b",
    CharactersSpec{2},
    {.groups = {{GroupKind::kSingle, 1, 1, {0, 2}},
                {GroupKind::kSingle, 2, 2, {2, 3}},
                {GroupKind::kRaw, 2, 1, {1, 2}}},
     .questions = {QuestionSpec(), tests::parities(2), tests::circle(8, 1, {1, 3}, {2, 1}), QuestionSpec()}}};

TEST_CASE("other questions sampled: sampling finds a loss of at most epsilon, and a planted loss 5 % above it") {
  check_sampled(kOnQuestions, kOne, 1'000'000, 450'000);
}

Task laplace_task_on(const ArrangementSpec& arrangement, const std::string& shape, const std::string& epsilon) {
  return Task::create({.title = "",
                       .schema = tests::schema_of(shape),
                       .arrangement = arrangement,
                       .channel = LaplaceSpec{},
                       .epsilon = Epsilon::parse(epsilon).value(),
                       .task_duration = 1,
                       .time_precision = 1})
      .value();
}

// Makes reports of two records at the largest distance. Each report is of either record with probability 1/2.
Events sample_laplace(const Task& task, const Channel& channel, std::uint64_t draws, const std::string& key) {
  const auto& laplace = std::get<LaplaceChannel>(channel.kind());
  const std::size_t d = task.arrangement().dimension();
  const std::vector<Record> records = tests::all_records(task.schema());
  std::vector<std::vector<std::int8_t>> a(2, std::vector<std::int8_t>(d));
  task.arrangement().encode(records.front(), a[0]);
  task.arrangement().encode(records.back(), a[1]);
  std::uint64_t distance = 0;
  for (std::size_t j = 0; j < d; ++j) distance += a[0][j] == a[1][j] ? 0 : 2;
  REQUIRE(distance == task.arrangement().sensitivity().value());
  tests::CounterBitSource bits(key);
  tests::CounterBitSource choices(key + " records");
  std::vector<std::int32_t> y(d);
  Events events;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t x = choices.bits(1);
    const auto payload = channel.randomize(task.arrangement(), x == 0 ? records.front() : records.back(), bits);
    if (!laplace.unpack(payload, y)) FAIL("an honest payload is refused");
    for (std::size_t j = 0; j < d; ++j) {
      if (a[0][j] == a[1][j] || y[j] == 0) continue;
      ++((y[j] > 0) == (a[x][j] > 0) ? events.own : events.other);
    }
  }
  return events;
}

void check_laplace(const ArrangementSpec& arrangement, const std::string& shape, const Pair& pair, std::uint64_t draws,
                   std::uint64_t least_counted) {
  CAPTURE(pair.epsilon);
  const Task task = laplace_task_on(arrangement, shape, pair.epsilon);
  const Task more = laplace_task_on(arrangement, shape, pair.more);
  const std::string key = shape + " " + pair.epsilon + " " + std::to_string(arrangement.index());
  const double stated = 2 / laplace_of(task).scale(0).approximate();
  check_losses(stated, sample_laplace(task, task.channel(), draws, key),
               sample_laplace(task, more.channel(), draws, key + " leaking"), least_counted);
}

TEST_CASE("literals laplace: sampling finds a loss of at most epsilon, and a planted loss 5 % above it") {
  check_laplace(LiteralsSpec{}, "b", kQuarter, 3'000'000, 2'700'000);
  check_laplace(LiteralsSpec{}, "b b", kOne, 1'000'000, 1'600'000);
  check_laplace(LiteralsSpec{}, "b b", kFour, 1'000'000, 1'200'000);
}

TEST_CASE("characters laplace: sampling finds a loss of at most epsilon, and a planted loss 5 % above it") {
  check_laplace(CharactersSpec{2}, "b b", kQuarter, 6'000'000, 11'000'000);
  check_laplace(CharactersSpec{2}, "b b", kOne, 1'000'000, 1'600'000);
  check_laplace(CharactersSpec{2}, "b b", kFour, 1'000'000, 1'200'000);
}

}  // namespace
}  // namespace hearsay
