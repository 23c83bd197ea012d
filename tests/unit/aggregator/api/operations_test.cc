#include <doctest/doctest.h>

#include "aggregator/api/operations.h"
#include "aggregator/api/upload_metrics.h"
#include "tests/support/tasks.h"

namespace hearsay::api {
namespace {

TEST_CASE("a backup request may say how many backups to keep") {
  CHECK(!parse_backup_request("").value());
  CHECK(!parse_backup_request("{}").value());
  CHECK(parse_backup_request(R"({"keep": 3})").value() == 3U);
  const std::vector<std::pair<const char*, ErrorCode>> refused{{R"({"keep": 0})", ErrorCode::kInvalidArgument},
                                                               {R"({"keep": -1})", ErrorCode::kInvalidArgument},
                                                               {R"({"keep": "3"})", ErrorCode::kWrongType},
                                                               {R"({"kep": 3})", ErrorCode::kUnknownKey},
                                                               {"[]", ErrorCode::kWrongType},
                                                               {"keep", ErrorCode::kMalformedJson}};
  for (const auto& sample : refused) {
    CAPTURE(sample.first);
    const auto result = parse_backup_request(sample.first);
    REQUIRE(!result);
    CHECK(result.error().code == sample.second);
  }
}

TEST_CASE("reports are counted by task, outcome and reason, and each series exists once") {
  metrics::MetricsRegistry registry;
  UploadMetrics metrics(registry, [](const TaskId&) { return true; });
  const Task task = tests::small_task("b");
  const auto status = [](ingest::ReportStatus::Kind kind, ErrorCode reason = {}) {
    return ingest::ReportStatus{kind, reason};
  };
  using Kind = ingest::ReportStatus::Kind;
  const std::vector<ingest::ReportStatus> statuses{status(Kind::kAccepted),
                                                   status(Kind::kRejected, ErrorCode::kReportConflict),
                                                   status(Kind::kReplayed),
                                                   status(Kind::kRejected, ErrorCode::kReportConflict),
                                                   status(Kind::kRejected, ErrorCode::kReportExpired),
                                                   status(Kind::kAccepted)};
  for (int i = 0; i < 2; ++i) metrics.of(task.id()).count({task, 0, {}, statuses, 2, 1, 3});
  TaskId other{};
  metrics.of(task.id()).rejected(ErrorCode::kOverloaded);
  metrics.of(other).rejected(ErrorCode::kOverloaded);
  metrics.of(other).rejected(ErrorCode::kTaskClosed);
  CHECK(metrics.overloads() == 2);

  const std::string text = registry.render();
  const auto has = [&](const std::string& line) { return text.find(line + "\n") != std::string::npos; };
  const std::string label = "task=\"" + task.id().to_string() + "\"}";
  CHECK(has("hearsay_reports_accepted_total{" + label + " 4"));
  CHECK(has("hearsay_reports_replayed_total{" + label + " 2"));
  CHECK(has("hearsay_reports_rejected_total{reason=\"report_conflict\"," + label + " 4"));
  CHECK(has("hearsay_reports_rejected_total{reason=\"report_expired\"," + label + " 2"));
  CHECK(has("hearsay_reports_rejected_total{reason=\"overloaded\"," + label + " 1"));
  CHECK(has("hearsay_reports_rejected_total{reason=\"task_closed\",task=\"" + std::string(43, 'A') + "\"} 1"));
}

}  // namespace
}  // namespace hearsay::api
