// Reads bodies of uploads, in both media types. Every check of a report against its task must end in a documented
// outcome, and a tally must take every report that passes.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "aggregator/ingest/body.h"
#include "aggregator/tally/tally.h"
#include "hearsay/task.h"
#include "tests/fuzz/require.h"

namespace {

using hearsay::ErrorCode;

const hearsay::Task& task() {
  static const hearsay::Task task = *hearsay::Task::parse(R"({
    "version": 2, "arrangement": {"type": "literals"}, "channel": {"type": "laplace", "calibration": "tight"},
    "epsilon": "2", "task_start": 0, "task_duration": 1000000000, "time_precision": 1000, "min_batch_size": 1,
    "schema": [{"name": "a", "type": "boolean"}, {"name": "b", "type": "boolean"}]})");
  return task;
}

void check_reports(const hearsay::ingest::Body& body) {
  static const std::set<ErrorCode> kOutcomes{ErrorCode::kReportTimeInvalid, ErrorCode::kReportTooEarly,
                                             ErrorCode::kTaskExpired, ErrorCode::kReportWrongSize,
                                             ErrorCode::kReportOutOfBounds};
  FUZZ_REQUIRE(!body.reports.empty());
  hearsay::tally::Tally tally = hearsay::tally::Tally::empty(task().channel());
  std::uint64_t good = 0;
  for (const hearsay::ReportView& report : body.reports) {
    const auto checked = hearsay::ingest::check_report(task(), report, 500'000'000, 300);
    if (checked) {
      FUZZ_REQUIRE(kOutcomes.contains(*checked));
      continue;
    }
    FUZZ_REQUIRE(tally.add(task().channel(), report.payload));
    ++good;
  }
  FUZZ_REQUIRE(tally.reports() == good);
}

void check_body(const char* media_type, const std::string& bytes) {
  const auto body = hearsay::ingest::decode_body(media_type, bytes);
  if (!body) {
    FUZZ_REQUIRE(body.error().code == ErrorCode::kReportMalformed || body.error().code == ErrorCode::kBodyTooLarge);
    return;
  }
  check_reports(*body);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check_body("application/vnd.hearsay.reports+cbor-seq", bytes);
  check_body("application/json", bytes);
  return 0;
}
