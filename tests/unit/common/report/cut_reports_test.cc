// A report of a task with cuts does not depend on which value of a cell the record has.
#include <doctest/doctest.h>

#include <vector>

#include "common/channel/channel.h"
#include "common/report/randomize.h"
#include "common/task/coarsening.h"
#include "tests/support/bit_sources.h"
#include "tests/support/cut_tasks.h"
#include "tests/support/small_domains.h"

namespace hearsay {
namespace {

TEST_CASE("a report is made of the record's cells") {
  const Task task = Task::create(tests::cut_spec()).value();
  for (const Record& record : tests::all_records(task.schema())) {
    tests::CounterBitSource bits("cuts");
    tests::CounterBitSource same_bits("cuts");
    const Report report = randomize(task, record, 0, bits).value();
    ReportId id{};
    same_bits.fill(id.bytes);
    CHECK(report.payload == task.channel().randomize(task.arrangement(), task.coarsening()->coarse(record), same_bits));
  }
}

}  // namespace
}  // namespace hearsay
