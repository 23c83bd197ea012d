// Two registries over one store stand for two daemons that share the store.
#include "aggregator/api/task_registry.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>

#include "aggregator/store/rocks/rocks.h"
#include "common/base/try.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/tasks.h"
#include "tests/support/temporary_directory.h"

namespace hearsay::api {
namespace {

struct TwoDaemons {
  tests::TemporaryDirectory directory;
  std::unique_ptr<store::Store> store = store::rocks::open({.path = directory.path() / "store"}).value();
  std::unique_ptr<TaskRegistry> ours = TaskRegistry::load(*store).value();
  std::unique_ptr<TaskRegistry> theirs = TaskRegistry::load(*store).value();
};

TEST_CASE("a refresh shows what another daemon has created, closed and deleted") {
  const TwoDaemons two;
  const Task task = tests::small_task("b");
  REQUIRE(two.theirs->add(task).value());
  CHECK(two.ours->find(task.id()).error().code == ErrorCode::kUnrecognizedTask);
  auto changes = two.ours->changes();
  REQUIRE(two.ours->refresh());
  CHECK(two.ours->changes() != changes);
  REQUIRE(two.ours->find(task.id()));
  CHECK_FALSE(two.ours->find(task.id()).value()->closed_at);

  REQUIRE(two.theirs->close(task.id(), 77));
  changes = two.ours->changes();
  REQUIRE(two.ours->refresh());
  CHECK(two.ours->changes() != changes);
  CHECK(two.ours->find(task.id()).value()->closed_at == UnixSeconds{77});

  REQUIRE(two.theirs->remove(task.id()));
  changes = two.ours->changes();
  REQUIRE(two.ours->refresh());
  CHECK(two.ours->changes() != changes);
  CHECK_FALSE(two.ours->find(task.id()));
  CHECK(two.ours->all().empty());
}

TEST_CASE("a refresh without changes keeps the registry's tasks, so that no upload is checked twice") {
  const TwoDaemons two;
  const Task task = tests::small_task("b");
  REQUIRE(two.ours->add(task).value());
  REQUIRE(two.ours->close(task.id(), 77));
  const auto changes = two.ours->changes();
  const auto before = two.ours->find(task.id()).value();
  REQUIRE(two.ours->refresh());
  CHECK(two.ours->changes() == changes);
  CHECK(two.ours->find(task.id()).value() == before);
}

TEST_CASE("a look-up finds a new task of another daemon, or says that the task does not exist") {
  const TwoDaemons two;
  const Task task = tests::small_task("b");
  REQUIRE(two.theirs->add(task).value());
  CHECK(two.ours->look_up(task.id()).value()->task.id() == task.id());
  CHECK(two.ours->find(task.id()));
  const auto unknown = two.ours->look_up(TaskId{});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::kUnrecognizedTask);
}

TEST_CASE(
    "a registry can close and delete another daemon's task that it does not know, and keeps the time of the first "
    "close") {
  const TwoDaemons two;
  const Task task = tests::small_task("b");
  REQUIRE(two.theirs->add(task).value());
  CHECK(two.ours->close(task.id(), 77).value() == 77);
  CHECK(two.theirs->close(task.id(), 99).value() == 77);
  CHECK(two.theirs->find(task.id()).value()->closed_at == UnixSeconds{77});
  const Task other = tests::small_task("b", "2");
  REQUIRE(two.theirs->add(other).value());
  REQUIRE(two.ours->remove(other.id()));
  CHECK(two.ours->remove(other.id()).error().code == ErrorCode::kUnrecognizedTask);
  CHECK(two.theirs->remove(other.id()).error().code == ErrorCode::kUnrecognizedTask);
  CHECK_FALSE(two.theirs->find(other.id()));
}

TEST_CASE("a task that another daemon has deleted can be created again, even if this registry still knows the task") {
  const TwoDaemons two;
  const Task task = tests::small_task("b");
  REQUIRE(two.ours->add(task).value());
  REQUIRE(two.ours->close(task.id(), 77));
  REQUIRE(two.theirs->remove(task.id()));
  REQUIRE(two.ours->find(task.id()));
  REQUIRE(two.ours->add(task));
  REQUIRE(two.store->tasks()->size() == 1);
  CHECK_FALSE(two.ours->find(task.id()).value()->closed_at);
  CHECK_FALSE(two.ours->add(task).value());
}

TEST_CASE("the registry does not acknowledge from memory a task that the store has not confirmed") {
  struct Unconfirmed : tests::ForwardingStore {
    using ForwardingStore::ForwardingStore;
    Result<void> add_task(const Task& task) override {
      HEARSAY_CHECK_OK(ForwardingStore::add_task(task));
      return Error{ErrorCode::kStoreFailed, "planted"};
    }
  };
  const TwoDaemons two;
  Unconfirmed unconfirmed(*two.store);
  const auto registry = TaskRegistry::load(unconfirmed).value();
  const Task task = tests::small_task("b");
  for (int i = 0; i < 2; ++i) {
    CHECK(registry->add(task).error().code == ErrorCode::kStoreFailed);
    REQUIRE(registry->refresh());
    CHECK(registry->find(task.id()));
  }
}

TEST_CASE("one look-up a second is allowed, for all callers together") {
  const TwoDaemons two;
  using std::chrono::milliseconds;
  const std::chrono::steady_clock::time_point start{milliseconds(5000)};
  CHECK(two.ours->takes_look_up(start));
  CHECK_FALSE(two.ours->takes_look_up(start));
  CHECK_FALSE(two.ours->takes_look_up(start + milliseconds(999)));
  CHECK(two.ours->takes_look_up(start + milliseconds(1000)));
  CHECK_FALSE(two.ours->takes_look_up(start + milliseconds(1999)));
}

}  // namespace
}  // namespace hearsay::api
