// A query that is too expensive is refused before the work begins. A request to stop ends the work soon. No estimate of
// a cost is below the true cost by more than an eighth.
#include "aggregator/compiler/work.h"

#include <doctest/doctest.h>
#include <pthread.h>

#include <chrono>
#include <ctime>
#include <string>
#include <thread>

#include "aggregator/compiler/class_moments.h"
#include "aggregator/compiler/compile.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "tests/support/bit_sources.h"
#include "tests/unit/aggregator/compiler/brute_force.h"

namespace hearsay::compiler {
namespace {

Task task_of(Schema schema, ArrangementSpec arrangement) {
  ChannelSpec channel = LaplaceSpec{};
  if (const auto* characters = std::get_if<CharactersSpec>(&arrangement)) {
    SampledSpec sampled;
    for (std::uint32_t size = 1; size <= characters->order; ++size) {
      sampled.groups.push_back({GroupKind::kSingle, size, 1});
    }
    channel = sampled;
  }
  return Task::create({.title = "work",
                       .schema = std::move(schema),
                       .arrangement = arrangement,
                       .channel = channel,
                       .epsilon = Epsilon::parse("1").value(),
                       .task_duration = 3600,
                       .time_precision = 3600})
      .value();
}

Schema alike(std::size_t count, std::int64_t last) {
  std::vector<Result<Attribute>> attributes;
  for (std::size_t i = 0; i < count; ++i) attributes.push_back(Attribute::range("x" + std::to_string(i), 0, last));
  return tests::schema_of(std::move(attributes));
}

// Returns a task on two attributes of `values` values. Each circle has two places more than values.
Task circles(std::uint32_t values) {
  const CircleQuestions circle{.places = values + 2, .multipliers = {1, 2, 3}, .weights = {3, 2, 1}};
  return Task::create({.title = "work",
                       .schema = alike(2, values - 1),
                       .arrangement = CharactersSpec{2},
                       .channel = SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 1}},
                                              .questions = {circle, circle}},
                       .epsilon = Epsilon::parse("1").value(),
                       .task_duration = 3600,
                       .time_precision = 3600})
      .value();
}

// Joins x0, x1, … by `word`. Each name is followed by `behind`.
std::string joined(std::size_t count, const std::string& word, const std::string& behind = "") {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "x" : word + "x") + std::to_string(i) + behind;
  return text;
}

std::string weighted_sum(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : " + ") + std::to_string(i * i + 3) + "*x" + std::to_string(i);
  }
  return text + " >= " + std::to_string(count * count * count / 6);
}

std::string disjoint_pairs(std::size_t count, const std::string& word, const std::string& behind = "") {
  std::string text;
  for (std::size_t i = 0; i + 1 < count; i += 2) {
    text +=
        (i == 0 ? "(x" : word + "(x") + std::to_string(i) + behind + " and x" + std::to_string(i + 1) + behind + ")";
  }
  return text;
}

struct Question {
  std::string path;
  Task task;
  std::string text;
  std::size_t records = 0;
};

std::vector<Question> questions(std::size_t booleans) {
  const CharactersSpec characters{static_cast<std::uint32_t>(booleans)};
  const Schema many = tests::booleans(2 * booleans);
  return {
      {"characters", task_of(tests::booleans(booleans), characters), weighted_sum(booleans)},
      {"padding", task_of(alike(booleans / 4, 4), CharactersSpec{static_cast<std::uint32_t>(booleans / 4)}),
       joined(booleans / 4, " and ", " >= 2")},
      {"products", circles(static_cast<std::uint32_t>(4 * booleans)), "x0 + x1 >= " + std::to_string(3 * booleans)},
      {"enumeration", task_of(many, LiteralsSpec{}), disjoint_pairs(booleans, " or ")},
      {"threshold", task_of(many, LiteralsSpec{}), weighted_sum(2 * booleans)},
      {"list", task_of(many, LiteralsSpec{}), joined(2 * booleans, " and ")},
      {"sample", task_of(tests::booleans(40), LiteralsSpec{}), disjoint_pairs(40, " or ")},
      {"sampled ranges", task_of(alike(40, 6), LiteralsSpec{}), disjoint_pairs(40, " or ", " >= 5")},
      {"records", task_of(many, LiteralsSpec{}), "x0 and x1", 3000},
  };
}

std::vector<Record> sample_of(const Question& question) {
  tests::CounterBitSource bits("work");
  std::vector<Record> records;
  for (std::size_t i = 0; i < question.records; ++i) {
    std::vector<std::uint32_t> values(question.task.schema().size());
    for (auto& value : values) value = static_cast<std::uint32_t>(bits.bits(1));
    records.push_back(Record::create(question.task.schema(), std::move(values)).value());
  }
  return records;
}

Result<void> answer(const Question& question, Reference reference, Work& work) {
  const Query query = tests::parse(question.task.schema(), question.text);
  const auto compiled = compile(question.task, query, work, reference);
  if (!compiled) return compiled.error();
  if (!compiled->study) return {};
  const auto moments = stoppable([&] {
    return class_moments(*compiled->study, question.task.schema(),
                         std::get<Literals>(question.task.arrangement().kind()), work);
  });
  if (!moments) return moments.error();
  return {};
}

TEST_CASE("work beyond the budget is refused before it begins, and the error says what would reduce the work") {
  for (const Question& question : questions(14)) {
    CAPTURE(question.path);
    const std::vector<Record> records = sample_of(question);
    Work measured({}, {UINT64_MAX, UINT64_MAX});
    REQUIRE(answer(question, records, measured));
    // The budget is an eighth below the true cost. If the estimate were even lower, the work would begin.
    Work tight({}, {measured.spent() - measured.spent() / 8, UINT64_MAX});
    const auto refused = answer(question, records, tight);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kLimitExceeded);
    CAPTURE(refused.error().message);
    CHECK(refused.error().message.find("takes about") != std::string::npos);
    CHECK(refused.error().message.find("may take: ") != std::string::npos);
    Work enough({}, {4 * measured.spent() + 100'000, UINT64_MAX});
    CHECK(answer(question, records, enough));
  }
}

TEST_CASE("a sum over 24 booleans at order 24 is refused before the work begins, because of its memory") {
  const Task task = task_of(tests::booleans(24), CharactersSpec{24});
  Work work;
  const auto refused = compile(task, tests::parse(task.schema(), weighted_sum(24)), work);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kLimitExceeded);
  CHECK(refused.error().message.find("fewer") != std::string::npos);
  CHECK(work.spent() == 0);
}

TEST_CASE("the work grows with the number of classes of groups") {
  constexpr std::uint32_t kBooleans = 12;
  SampledSpec spec;
  for (std::uint32_t set = 1; set < 1U << kBooleans; ++set) {
    GroupWeight group{GroupKind::kSingle, 0, 1, {}, {}};
    for (std::uint32_t i = 0; i < kBooleans; ++i) {
      if ((set >> i & 1U) != 0) group.attributes.push_back(i);
    }
    group.size = static_cast<std::uint32_t>(group.attributes.size());
    spec.groups.push_back(std::move(group));
  }
  const double classes = static_cast<double>(spec.groups.size());
  const Task task = Task::create({.title = "work",
                                  .schema = tests::booleans(kBooleans),
                                  .arrangement = CharactersSpec{kBooleans},
                                  .channel = std::move(spec),
                                  .epsilon = Epsilon::parse("1").value(),
                                  .task_duration = 3600,
                                  .time_precision = 3600})
                        .value();
  const Query query = tests::parse(task.schema(), joined(kBooleans, " and "));
  Work work;
  REQUIRE(compile(task, query, work));
  CHECK(static_cast<double>(work.spent()) > classes * classes);
  Work little({}, {1U << 20U, UINT64_MAX});
  CHECK(compile(task, query, little).error().code == ErrorCode::kLimitExceeded);
}

TEST_CASE("no work is begun if nobody waits for the answer") {
  std::stop_source stop;
  stop.request_stop();
  for (const Question& question : questions(14)) {
    CAPTURE(question.path);
    Work work(stop.get_token());
    const auto stopped = answer(question, {}, work);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::kCancelled);
  }
}

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of_a_step(clockid_t clock) {
  double seconds = 0;
  double steps = 0;
  for (const Question& question : questions(10)) {
    const std::vector<Record> records = sample_of(question);
    Work work({}, {UINT64_MAX, UINT64_MAX});
    const double began = seconds_of(clock);
    REQUIRE(answer(question, records, work));
    seconds += seconds_of(clock) - began;
    steps += static_cast<double>(work.spent());
  }
  return seconds / steps;
}

// Between two calls of spend() there are at most 2^20 steps. The test allows 2^24. Only the processor time of the
// working thread counts.
TEST_CASE("a request to stop ends the work within the time of a few steps") {
  std::vector<Question> large = questions(20);
  large.push_back({"long", task_of(tests::booleans(2000), LiteralsSpec{}), disjoint_pairs(2000, " or ")});
  large.push_back({"covariances", task_of(tests::booleans(300), LiteralsSpec{}),
                   disjoint_pairs(16, " or ") + " or " + joined(300, " and ")});
  clockid_t clock{};
  REQUIRE(pthread_getcpuclockid(pthread_self(), &clock) == 0);
  const double allowed = 0x1p24 * seconds_of_a_step(clock);
  for (const Question& question : large) {
    CAPTURE(question.path);
    const std::vector<Record> records = sample_of(question);
    for (const int after : {1, 15, 60}) {
      std::stop_source stop;
      double stopped_at = 0;
      Work work(stop.get_token(), {UINT64_MAX, UINT64_MAX});
      const double began = seconds_of(clock);
      std::jthread stopper([&] {
        while (seconds_of(clock) - began < 1e-3 * after) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        stop.request_stop();
        stopped_at = seconds_of(clock);
      });
      const auto result = answer(question, records, work);
      const double ended = seconds_of(clock);
      if (result) {  // here the work ended before the request
        while (!stop.stop_requested()) (void)seconds_of(clock);
        continue;
      }
      stopper.join();
      CHECK(result.error().code == ErrorCode::kCancelled);
      CHECK(ended - stopped_at < allowed);
    }
  }
}

}  // namespace
}  // namespace hearsay::compiler
