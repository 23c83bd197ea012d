#include "aggregator/store/copy/copy.h"

#include <doctest/doctest.h>

#include "aggregator/store/rocks/rocks.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/aggregator/store/postgres/postgres_fixture.h"

namespace hearsay::store {
namespace {

using namespace tests;  // NOLINT(google-build-using-namespace)
using postgres::tests::TestDatabase;

Task expiring_task() {
  TaskSpec spec = make_task("expiring").spec();
  spec.report_expiry_age = 86'400;
  return Task::create(spec).value();
}

struct Embedded {
  hearsay::tests::TemporaryDirectory directory;
  std::unique_ptr<Store> store = rocks::open({.path = directory.path() / "store"}).value();
};

// Makes two tasks. One task is closed and has several windows. The other task has ten sealed windows.
void fill(Store& store) {
  const Task closed = make_task("closed");
  const Task expiring = expiring_task();
  REQUIRE(store.add_task(closed));
  REQUIRE(store.add_task(expiring));
  append_new(store, closed, make_reports(closed, 0, 5000, 3));
  append_new(store, expiring, make_reports(expiring, 0, 600, 20));
  REQUIRE(store.close_task(closed.id(), 77));
  REQUIRE(forget_expired(store, kStart + 10 * kPrecision + 86'400) == 300);
  REQUIRE(store.note_clock(kStart));
}

void check_copy(const Store& from, Store& to) {
  const auto copied = copy(from, to);
  if (!copied) FAIL(copied.error().message);
  CHECK(copied->tasks == 2);
  CHECK(copied->copied_reports == 5300);
  CHECK(copied->present_reports == 0);
  CHECK(copied->sealed_reports == 300);
  CHECK(differences(from, to).value() == std::vector<std::string>{});
  CHECK(verified_reports(to) == 5300);
  CHECK(window_tallies(to, expiring_task()) == window_tallies(from, expiring_task()));
  CHECK(to.noted_clock() == from.noted_clock());
}

TEST_CASE("a copy into a database and back changes no task, report or tally") {
  const Embedded source;
  fill(*source.store);
  TestDatabase database;
  const auto shared = database.open();
  check_copy(*source.store, *shared);
  const Embedded back;
  check_copy(*shared, *back.store);
  CHECK(differences(*source.store, *back.store).value().empty());
}

TEST_CASE("after a copy an embedded store opens again with all its sealed windows") {
  const Embedded source;
  fill(*source.store);
  Embedded copied;
  check_copy(*source.store, *copied.store);
  copied.store.reset();
  copied.store = rocks::open({.path = copied.directory.path() / "store"}).value();
  CHECK(differences(*source.store, *copied.store).value().empty());
}

TEST_CASE("in a copy a sealed window accepts no report") {
  const Embedded source;
  fill(*source.store);
  const Task task = expiring_task();
  TestDatabase database;
  const auto shared = database.open();
  Embedded embedded;
  for (Store* to : {shared.get(), embedded.store.get()}) {
    REQUIRE(copy(*source.store, *to));
    CHECK(*append(*to, task, {make_report(task, 99'999, 9)}) == std::vector{AppendOutcome::kExpired});
    CHECK(*append(*to, task, {make_report(task, 99'999, 10)}) == std::vector{AppendOutcome::kAccepted});
  }
}

TEST_CASE("a second copy adds the reports that the first did not have, and copies nothing twice") {
  const Embedded source;
  fill(*source.store);
  TestDatabase database;
  const auto shared = database.open();
  // These reports are what an interrupted copy leaves.
  const Task closed = make_task("closed");
  REQUIRE(shared->add_task(closed));
  append_new(*shared, closed, make_reports(closed, 0, 1000, 3));
  const auto copied = copy(*source.store, *shared);
  if (!copied) FAIL(copied.error().message);
  CHECK(copied->copied_reports == 4300);
  CHECK(copied->present_reports == 1000);
  CHECK(differences(*source.store, *shared).value().empty());
  CHECK(verified_reports(*shared) == 5300);
}

TEST_CASE("a copy continues although an earlier copy has completed and closed a task") {
  const Embedded source;
  fill(*source.store);
  const Task closed = make_task("closed");
  TestDatabase database;
  const auto shared = database.open();
  const Embedded embedded;
  for (Store* to : {shared.get(), embedded.store.get()}) {
    REQUIRE(to->add_task(closed));
    append_new(*to, closed, make_reports(closed, 0, 5000, 3));
    REQUIRE(to->close_task(closed.id(), 77));
    for (const std::uint64_t fresh : {300, 0}) {
      const auto copied = copy(*source.store, *to);
      if (!copied) FAIL(copied.error().message);
      CHECK(copied->copied_reports == fresh);
      CHECK(copied->present_reports == 5300 - fresh);
      CHECK(differences(*source.store, *to).value().empty());
    }
  }
}

TEST_CASE("a copy stops if the other store closed the task at another time, and does not close the task again") {
  const Embedded source;
  fill(*source.store);
  const Task closed = make_task("closed");
  const Embedded other;
  REQUIRE(other.store->add_task(closed));
  REQUIRE(other.store->close_task(closed.id(), 78));
  CHECK(copy(*source.store, *other.store).error().code == ErrorCode::kTaskConflict);
}

TEST_CASE("each kind of difference between two stores is reported") {
  const Embedded source;
  const Task task = make_task();
  REQUIRE(source.store->add_task(task));
  append_new(*source.store, task, make_reports(task, 0, 10));
  const auto found = [&](const Store& other) { return differences(*source.store, other).value(); };
  const Embedded other;
  REQUIRE(found(*other.store).size() == 1);
  CHECK(found(*other.store)[0].find("lacks this task") != std::string::npos);
  REQUIRE(other.store->add_task(task));
  append_new(*other.store, task, make_reports(task, 1, 11));
  REQUIRE(found(*other.store).size() == 2);  // both the tally and the reports differ
  CHECK(found(*other.store)[0].find("tally") != std::string::npos);
  CHECK(found(*other.store)[1].find("reports") != std::string::npos);
}

TEST_CASE("a copy stops if the other store has other bytes under an id") {
  const Embedded source;
  const Task task = make_task();
  REQUIRE(source.store->add_task(task));
  append_new(*source.store, task, make_reports(task, 0, 10));
  const Embedded other;
  REQUIRE(other.store->add_task(task));
  Report changed = make_report(task, 100);
  changed.id = make_report(task, 5).id;
  append_new(*other.store, task, {changed});
  CHECK(copy(*source.store, *other.store).error().code == ErrorCode::kTaskConflict);
}

TEST_CASE("only sealed windows without reports accept a tally") {
  const Embedded embedded;
  TestDatabase database;
  const auto shared = database.open();
  const Task task = make_task();
  const tally::Tally tally = tally_of(task, make_reports(task, 0, 3));
  for (Store* store : {embedded.store.get(), shared.get()}) {
    CHECK(store->import_seal(task, kStart).error().code == ErrorCode::kUnrecognizedTask);
    REQUIRE(store->add_task(task));
    append_new(*store, task, {make_report(task, 1, 0)});
    CHECK(store->import_tally(task, kStart, tally).error().code == ErrorCode::kInvalidArgument);
    REQUIRE(store->import_seal(task, kStart + 2 * kPrecision));
    CHECK(store->import_tally(task, kStart, tally).error().code == ErrorCode::kInvalidArgument);
    for (int twice = 0; twice < 2; ++twice) REQUIRE(store->import_tally(task, kStart + kPrecision, tally));
    CHECK(store->counts(task).reports == 4);
    CHECK(store->import_tally(task, kStart + kPrecision, tally::Tally::empty(task.channel())).error().code ==
          ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace hearsay::store
