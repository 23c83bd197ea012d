// What the tests of the spread store share: embedded databases with a map in memory, which a test can take down.
#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/store/spread/change.h"
#include "aggregator/store/spread/spread.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/patience.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::store::spread::tests {

using namespace rocks::tests;  // NOLINT(google-build-using-namespace): the store's fixtures serve here too
using hearsay::tests::ForwardingStore;
using hearsay::tests::ManualClock;

inline Error planted() { return {ErrorCode::kStoreFailed, "planted"}; }

// A database's row of the map, in memory.
class MemoryKeeper : public MapKeeper {
 public:
  MemoryKeeper(std::string server, ManualClock& clock) : server_(std::move(server)), clock_(clock) {}

  const std::string& server() const override { return server_; }
  Result<std::unique_ptr<Lock>> lock() override {
    if (down) return planted();
    return std::unique_ptr<Lock>(std::make_unique<Held>(administrators_));
  }
  MapRow row() {
    auto row = update([](MapRow&, UnixSeconds) { return Result<void>(); });
    REQUIRE(row);
    return *row;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    document_.clear();
  }

  std::atomic<bool> down = false;
  std::atomic<bool> keeps = true;  // if false, forgets every change, which a real database must not do
  std::atomic<int> fail_in = 0;    // the number of the update that fails, once
  std::atomic<int> updates = 0;

 private:
  Result<MapRow> apply(const Change& change, bool) override {
    const std::lock_guard lock(mutex_);
    ++updates;
    if (down) return planted();
    if (fail_in > 0 && --fail_in == 0) return planted();
    MapRow row;
    if (!document_.empty()) {
      HEARSAY_TRY(row, decode(document_, server_));
    }
    HEARSAY_CHECK_OK(change(row, clock_.now()));
    if (keeps) document_ = encode(row, server_);
    return row;
  }

  struct Held : Lock {
    explicit Held(std::mutex& mutex) : lock(mutex) {}
    std::unique_lock<std::mutex> lock;
  };
  const std::string server_;
  ManualClock& clock_;
  std::mutex mutex_;
  std::mutex administrators_;
  std::string document_;
};

class FaultyStore final : public ForwardingStore {
 public:
  explicit FaultyStore(std::unique_ptr<Store> store) : ForwardingStore(*store), own_(std::move(store)) {}

  Result<void> append(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes) override {
    hang_on();
    if (down) return planted();
    auto appended = ForwardingStore::append(submissions, outcomes);
    if (appended && loses_answers) return planted();
    return appended;
  }
  Result<void> add_task(const Task& task) override { return down ? planted() : ForwardingStore::add_task(task); }
  Result<void> close_task(const TaskId& id, UnixSeconds at) override {
    return down ? planted() : ForwardingStore::close_task(id, at);
  }
  Result<void> delete_task(const TaskId& id) override { return down ? planted() : ForwardingStore::delete_task(id); }
  Result<tally::Tally> tally(const Task& task, WindowRange range, const std::stop_token& stop) const override {
    if (down) return planted();
    return ForwardingStore::tally(task, range, stop);
  }
  Expiry expire(UnixSeconds now) override {
    hang_on();
    return down ? Expiry{0, planted()} : ForwardingStore::expire(now);
  }
  Result<void> check_directory() override {
    hang_on();
    ++checks;
    return ForwardingStore::check_directory();
  }

  void hang(bool hangs) {
    const std::lock_guard lock(mutex_);
    hangs_ = hangs;
    changed_.notify_all();
  }
  std::atomic<int> checks = 0;
  std::atomic<bool> down = false;
  std::atomic<bool> loses_answers = false;  // if true, stores the reports, and then fails

 private:
  void hang_on() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !hangs_; });
  }

  const std::unique_ptr<Store> own_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool hangs_ = false;
};

// Databases "s0", "s1", … whose clock is in the middle of the window that starts at kStart + 5·kPrecision.
class Databases {
 public:
  explicit Databases(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) add();
  }

  void add() {
    const std::string server = "s" + std::to_string(keepers.size());
    keepers.push_back(std::make_shared<MemoryKeeper>(server, clock));
    stores.push_back(std::make_shared<FaultyStore>(open_store(dir_ / server)));
  }
  std::vector<Member> members(std::size_t count) const {
    std::vector<Member> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back({"database " + std::to_string(i), stores[i], keepers[i]});
    return all;
  }
  std::vector<Member> members() const { return members(stores.size()); }
  static std::vector<std::string> servers(std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back("s" + std::to_string(i));
    return names;
  }
  // Adds an entry with the first `count` databases to the map.
  MapState add_map(std::size_t count, std::optional<UnixSeconds> from = {}) const {
    auto state = add_entry(members(), servers(count), from, options);
    if (!state) FAIL(state.error().message);
    return *state;
  }
  std::unique_ptr<Store> open(std::size_t count) const {
    auto store = spread::open(members(count), options);
    if (!store) FAIL(store.error().message);
    return *std::move(store);
  }
  std::unique_ptr<Store> open() const { return open(stores.size()); }
  void set_down(std::size_t i, bool down) const {
    keepers[i]->down = down;
    stores[i]->down = down;
  }

  mutable ManualClock clock{kStart + 5 * kPrecision + kPrecision / 2};
  Options options;
  std::vector<std::shared_ptr<MemoryKeeper>> keepers;
  std::vector<std::shared_ptr<FaultyStore>> stores;

 private:
  TemporaryDirectory dir_;
};

inline std::size_t count_of(const std::vector<AppendOutcome>& outcomes, AppendOutcome outcome) {
  return static_cast<std::size_t>(std::count(outcomes.begin(), outcomes.end(), outcome));
}

}  // namespace hearsay::store::spread::tests
