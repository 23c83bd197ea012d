// Daemons with different maps get the same reports, and no report may be counted twice.
#include <cstdlib>
#include <random>
#include <thread>

#include "tests/unit/aggregator/store/spread/postgres_databases.h"
#include "tests/unit/aggregator/store/spread/spread_fixture.h"

namespace hearsay::store::spread::tests {
namespace {

constexpr std::uint64_t kMinute = 60;
constexpr std::size_t kBatch = 250;

std::uint64_t reports_to_send() {
  const char* const text = std::getenv("HEARSAY_SWITCH_REPORTS");
  return text == nullptr ? 10'000 : std::stoull(text);
}

Task task_of(std::uint64_t precision) {
  TaskSpec spec = make_task().spec();
  spec.time_precision = precision;
  spec.task_duration = 3650 * 24 * kPrecision;
  return Task::create(spec).value();
}

std::vector<Report> reports_from(const Task& task, UnixSeconds start, std::uint64_t windows, std::uint64_t count) {
  std::vector<Report> reports;
  for (std::uint64_t i = 0; i < count; ++i) {
    reports.push_back(make_report(task, i));
    reports.back().time = start + i % windows * task.spec().time_precision;
  }
  return reports;
}

// A daemon and its clients. The clients send each report until it is acknowledged.
class Sender {
 public:
  Sender(std::unique_ptr<Store> store, const Task& task, std::vector<Report> reports, unsigned seed)
      : store_(std::move(store)), task_(task), waiting_(std::move(reports)) {
    std::shuffle(waiting_.begin(), waiting_.end(), std::mt19937(seed));
  }

  bool send() {
    std::vector<Report> refused;
    for (std::size_t begin = 0; begin < waiting_.size(); begin += kBatch) {
      const auto first = waiting_.begin() + static_cast<std::ptrdiff_t>(begin);
      const std::vector<Report> batch(first,
                                      first + static_cast<std::ptrdiff_t>(std::min(kBatch, waiting_.size() - begin)));
      const auto outcomes = append(*store_, task_, batch);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const AppendOutcome outcome = outcomes.value()[i];
        accepted += outcome == AppendOutcome::kAccepted;
        replayed += outcome == AppendOutcome::kReplayed;
        if (outcome == AppendOutcome::kUnavailable) refused.push_back(batch[i]);
      }
    }
    waiting_ = std::move(refused);
    return !waiting_.empty();
  }

  std::uint64_t accepted = 0;
  std::uint64_t replayed = 0;

 private:
  const std::unique_ptr<Store> store_;
  const Task& task_;
  std::vector<Report> waiting_;
};

TEST_CASE("two daemons with different maps count each report once while the map changes") {
  const std::uint64_t count = reports_to_send();
  Databases databases(2);
  databases.options.patience = hearsay::tests::kPatience;
  databases.clock.set(kStart);
  databases.add_map(2);
  const Task task = task_of(kMinute);
  REQUIRE(databases.open()->add_task(task));

  // The new entry of the map assigns every report to the other database.
  const UnixSeconds from = kStart + 10 * kMinute;
  constexpr std::uint64_t kAround = 20;
  const std::vector<Report> reports = reports_from(task, kStart, kAround, count);
  Sender old_map(databases.open(), task, reports, 1);
  old_map.send();
  CHECK(old_map.accepted > 0);  // so the first daemon has read the old map, and has opened windows

  std::atomic<bool> changed = false;
  std::thread first([&] {
    while (old_map.send() || !changed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  const auto state = add_entry(databases.members(), {"s1", "s0"}, from, databases.options);
  changed = true;
  CHECK(state.value().entries.size() == 2);
  Sender new_map(databases.open(), task, reports, 2);
  std::thread second([&] {
    while (new_map.send()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  // After the switch one window opens after another.
  std::thread time([&] {
    for (std::uint64_t i = 0; i < kAround * 6; ++i) {
      databases.clock.advance(std::chrono::seconds(kMinute / 6));
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  for (std::thread* thread : {&first, &second, &time}) thread->join();

  CHECK(old_map.accepted + new_map.accepted == count);
  CHECK(old_map.replayed + new_map.replayed == count);
  const auto store = databases.open();
  CHECK(whole_tally(*store, task).encode() == tally_of(task, reports).encode());
  CHECK(verified_reports(*store) == count);
}

TEST_CASE(
    "two daemons with different maps count each report once on PostgreSQL, where the databases have their own clock") {
  const std::uint64_t count = reports_to_send();
  const PostgresDatabases databases(2);
  const Options options{.max_ahead = 3, .lead = 1, .patience = hearsay::tests::kPatience};
  databases.add_map({0, 1}, {}, options);
  const Task task = task_of(1);
  auto first_store = databases.open("first", options);
  REQUIRE(first_store->add_task(task));
  append_new(*first_store, task, reports_from(task, databases.clock().now() - 100, 1, 10));
  const UnixSeconds from = databases.add_map({1, 0}, {}, options).entries.back().from;
  const std::vector<Report> reports = reports_from(task, from - 5, 10, count);
  Sender old_map(std::move(first_store), task, reports, 1);
  Sender new_map(databases.open("second", options), task, reports, 2);
  std::vector<std::thread> threads;
  for (Sender* sender : {&old_map, &new_map}) {
    threads.emplace_back([sender] {
      while (sender->send()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(old_map.accepted + new_map.accepted == count);
  CHECK(old_map.replayed + new_map.replayed == count);
  CHECK(verified_reports(*databases.open("third", options)) == count + 10);
}

// If the databases forget the windows that they opened, the change is made, and reports are counted twice.
TEST_CASE("if databases keep their rows, they refuse a change that would count reports twice") {
  for (const bool keeps : {true, false}) {
    CAPTURE(keeps);
    Databases databases(2);
    databases.options.max_ahead = 10 * kMinute;
    databases.clock.set(kStart);
    databases.add_map(2);
    const Task task = task_of(kMinute);
    const auto old_map = databases.open();
    REQUIRE(old_map->add_task(task));
    for (const auto& keeper : databases.keepers) keeper->keeps = keeps;
    const std::vector<Report> reports = reports_from(task, kStart + 5 * kMinute, 1, 100);
    append_new(*old_map, task, reports);
    for (const auto& keeper : databases.keepers) keeper->keeps = true;

    Options hasty = databases.options;
    hasty.max_ahead = 0;  // with an allowance the command would refuse
    const auto changed = add_entry(databases.members(), {"s1", "s0"}, kStart + 5 * kMinute, hasty);
    CHECK(static_cast<bool>(changed) == !keeps);
    const auto outcomes = append(*databases.open(), task, reports);
    CHECK(count_of(*outcomes, AppendOutcome::kAccepted) == (keeps ? 0 : 100));
  }
}

}  // namespace
}  // namespace hearsay::store::spread::tests
