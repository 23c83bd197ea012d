#include "aggregator/store/rocks/rocks.h"

#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/tally/tally.h"
#include "common/base/strict_json.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::store::rocks::tests {
namespace {

using enum AppendOutcome;

TEST_CASE("only one process can open a store for writing, and reading needs an existing store") {
  const TemporaryDirectory dir;
  CHECK(open({.path = dir / "s", .read_only = true}).error().code == ErrorCode::kStoreFailed);
  CHECK(open({.path = ""}).error().code == ErrorCode::kStoreFailed);
  CHECK(open({.path = "/proc/no/such"}).error().code == ErrorCode::kStoreFailed);
  const Task task = make_task();
  {
    const auto store = open_store(dir / "s");
    REQUIRE(store->add_task(task));
    append_new(*store, task, {make_report(task, 0)});
    CHECK(open_error(dir / "s") == ErrorCode::kStoreFailed);
  }
  const auto reader = open_store(dir / "s", true);
  CHECK(reader->tasks()->size() == 1);
  CHECK(reader->add_task(task).error().code == ErrorCode::kStoreFailed);
  CHECK(reader->close_task(task.id(), 1).error().code == ErrorCode::kStoreFailed);
  CHECK(reader->delete_task(task.id()).error().code == ErrorCode::kStoreFailed);
  CHECK(append(*reader, task, {make_report(task, 1)}).error().code == ErrorCode::kStoreFailed);
  CHECK(verified_reports(*reader) == 1);
}

}  // namespace
}  // namespace hearsay::store::rocks::tests
