// Tests directories with files from different moments: the store was copied while it ran, or an older log is lost.
#include <algorithm>
#include <random>
#include <set>

#include "aggregator/store/rocks/newest.h"
#include "tests/unit/aggregator/store/rocks/damaged_store.h"

namespace hearsay::store::rocks::tests {
namespace {

// A store whose directory is copied after each append of one report. Halfway a window is sealed, which begins a second
// log.
struct Film {
  static constexpr std::uint64_t kCommits = 12;

  Film() {
    TaskSpec spec = make_task("film").spec();
    spec.report_expiry_age = 600;
    task = *Task::create(spec);
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    for (std::uint64_t i = 0; i < kCommits; ++i) {
      append_new(*store, task, {make_report(task, i, i <= kCommits / 2 ? i % 2 : 1)});
      if (i == kCommits / 2) REQUIRE(forget_expired(*store, kStart + kPrecision + 600) > 0);
      take();
    }
  }
  void take() {
    const std::string moment = dir / std::to_string(moments++);
    std::filesystem::copy(dir / "s", moment);
  }
  std::string moment(std::uint64_t number) const { return dir / std::to_string(number); }

  TemporaryDirectory dir;
  Task task = make_task();
  std::uint64_t moments = 0;
};

TEST_CASE("a copy of a running store has every commit up to the mark in the copy, or is refused") {
  Film film;
  std::minstd_rand choose(15);
  std::size_t opened = 0;
  std::size_t refused = 0;
  for (std::size_t round = 0; round < 60; ++round) {
    CAPTURE(round);
    // Imitates a copy that takes one file after another while the store runs. A file that has been deleted is left out.
    std::set<std::string> names;
    std::uint64_t moment = choose() % film.moments;
    for (const auto& entry : std::filesystem::directory_iterator(film.moment(moment))) {
      names.insert(entry.path().filename());
    }
    std::vector<std::string> order(names.begin(), names.end());
    std::shuffle(order.begin(), order.end(), choose);
    const std::string copy = film.dir / "copy";
    std::filesystem::remove_all(copy);
    std::filesystem::create_directory(copy);
    for (const std::string& name : order) {
      const std::string from = film.moment(moment) + "/" + name;
      if (std::filesystem::exists(from)) std::filesystem::copy(from, copy + "/" + name);
      if (choose() % 3 == 0) moment = std::min(moment + choose() % 3, film.moments - 1);
    }
    const auto newest = NewestMark::read(*rocksdb::Env::Default(), copy);
    REQUIRE(newest);
    const auto store = open({.path = copy});
    if (!store) {
      ++refused;
      CHECK(store.error().code == ErrorCode::kStoreCorrupt);
      continue;
    }
    ++opened;
    CHECK((*store)->statistics().commits >= **newest);
    verified_reports(**store);
  }
  CHECK(opened > 5);
  CHECK(refused > 5);
}

TEST_CASE("if an older log is deleted or shortened while the newest log stays, the start reports damage") {
  Film film;
  const std::string last = film.moment(film.moments - 1);
  std::vector<std::string> logs;
  for (const auto& entry : std::filesystem::directory_iterator(last)) {
    if (entry.path().extension() == ".log") logs.push_back(entry.path().filename());
  }
  std::sort(logs.begin(), logs.end());
  REQUIRE(logs.size() >= 2);
  const std::string& older = logs.front();
  const std::string bytes = read_file(last + "/" + older);
  REQUIRE_FALSE(bytes.empty());
  const std::string copy = film.dir / "copy";
  for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{0}}) {
    std::filesystem::remove_all(copy);
    std::filesystem::copy(last, copy);
    write_file(copy + "/" + older, bytes.substr(0, size));
    CHECK(open_error(copy) == ErrorCode::kStoreCorrupt);
  }
  std::filesystem::remove(copy + "/" + older);
  CHECK(open_error(copy) == ErrorCode::kStoreCorrupt);
}

TEST_CASE("a store whose directory is moved, removed or replaced acknowledges nothing more, and says why") {
  const Task task = make_task();
  const auto check_lost = [&](Store& store, bool look) {
    if (look) CHECK(store.check_directory().error().code == ErrorCode::kStoreFailed);
    const auto outcomes = append(store, task, {make_report(task, 7)});
    REQUIRE_FALSE(outcomes);
    CHECK(outcomes.error().code == ErrorCode::kStoreFailed);
    CHECK_FALSE(store.healthy());
    CHECK(store.failure()->message.find("moved, removed or replaced") != std::string::npos);
    CHECK_FALSE(store.check_directory());
  };
  for (const bool look : {false, true}) {
    const TemporaryDirectory dir;
    const auto with_store = [&](const auto& act) {
      auto store = open_store(dir / "s");
      REQUIRE(store->add_task(task));
      append_new(*store, task, make_reports(task, 100, 103));
      CHECK(store->check_directory());
      CHECK(store->healthy());
      act();
      check_lost(*store, look);
      store.reset();
      std::filesystem::remove_all(dir / "s");
    };
    with_store([&] { std::filesystem::rename(dir / "s", dir / "moved"); });
    CHECK(stored_reports(*open_store(dir / "moved"), task).contains({kStart, make_report(task, 102).id}));
    with_store([&] { std::filesystem::remove_all(dir / "s"); });
    with_store([&] { std::filesystem::remove(dir / "s/newest"); });
    with_store([&] {  // another store is there now, and the end of the first store must not write to it
      std::filesystem::rename(dir / "s", dir / "away");
      std::filesystem::copy(dir / "moved", dir / "s");
    });
    const auto reading = open_store(dir / "moved", true);
    CHECK(reading->check_directory());
  }
}

TEST_CASE("a backup of a store whose directory was replaced is refused, and harms neither store") {
  const Task task = make_task();
  for (const bool noticed : {false, true}) {
    CAPTURE(noticed);
    const TemporaryDirectory dir;
    for (const char* name : {"s", "other"}) {
      auto store = open_store(dir / name);
      REQUIRE(store->add_task(task));
      append_new(*store, task, make_reports(task, 100, 103));
    }
    auto store = open_store(dir / "s");
    append_new(*store, task, make_reports(task, 103, 200));
    std::filesystem::rename(dir / "s", dir / "moved");
    std::filesystem::rename(dir / "other", dir / "s");
    if (noticed) REQUIRE_FALSE(store->check_directory());
    CHECK(store->backup(dir / "backups", 0).error().code == ErrorCode::kStoreFailed);
    store.reset();
    CHECK(stored_reports(*open_store(dir / "moved"), task).size() == 100);
    CHECK(stored_reports(*open_store(dir / "s"), task).size() == 3);
  }
}

}  // namespace
}  // namespace hearsay::store::rocks::tests
