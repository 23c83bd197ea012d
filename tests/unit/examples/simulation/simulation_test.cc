#include "examples/simulation/simulation.h"

#include <doctest/doctest.h>

#include "hearsay/clock.h"
#include "tests/support/tasks.h"

namespace hearsay::examples {
namespace {

TEST_CASE("each rehearsal makes a task of its own, for people who report now") {
  for (const std::uint64_t precision : {std::uint64_t{1}, std::uint64_t{7'000}, std::uint64_t{31'622'400}}) {
    TaskSpec spec = tests::small_task("b r4", "1.5").spec();
    spec.title = "commuting";
    spec.time_precision = precision;
    spec.task_start = 0;
    spec.task_duration = precision;
    const UnixSeconds before = make_system_clock()->now();
    const Task first = Task::create(cli::for_rehearsal(spec)).value();
    const Task second = Task::create(cli::for_rehearsal(spec)).value();
    CHECK(first.id() != second.id());
    CHECK(first.spec().title.starts_with("rehearsal "));
    CHECK(first.spec().title.ends_with(": commuting"));
    CHECK(first.schema() == spec.schema);
    CHECK(first.epsilon() == spec.epsilon);
    CHECK(first.spec().min_batch_size == spec.min_batch_size);
    CHECK(first.spec().task_start <= make_system_clock()->now());
    CHECK(first.end() >= before + tests::kDay);
  }
  TaskSpec longest = tests::small_task("b").spec();
  longest.title = std::string(256, 'n');
  CHECK(Task::create(cli::for_rehearsal(longest)));
}

}  // namespace
}  // namespace hearsay::examples
