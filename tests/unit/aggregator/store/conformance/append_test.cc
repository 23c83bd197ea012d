// Outcomes of append(), in every store.
#include "tests/unit/aggregator/store/conformance/backend.h"
#include "tests/unit/aggregator/store/reports.h"

namespace hearsay::store::tests {
namespace {

using enum AppendOutcome;

TEST_CASE("a report is accepted once, replayed with the same bytes, in conflict with others") {
  const auto backend = make_backend();
  const auto store = backend->open();
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  const Report report = make_report(task, 1);
  Report other_payload = make_report(task, 2);
  other_payload.id = report.id;

  CHECK(*append(*store, task, {report}) == std::vector{kAccepted});
  CHECK(*append(*store, task, {report}) == std::vector{kReplayed});
  CHECK(*append(*store, task, {other_payload}) == std::vector{kConflict});
  CHECK(whole_tally(*store, task) == tally_of(task, {report}));
  CHECK(stored_reports(*store, task) == std::map<ReportId, Report>{{report.id, report}});
  CHECK(verified_reports(*store) == 1);
}

}  // namespace
}  // namespace hearsay::store::tests
