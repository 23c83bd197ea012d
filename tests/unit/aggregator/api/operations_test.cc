#include <doctest/doctest.h>

#include "aggregator/api/answers.h"
#include "aggregator/api/operations.h"
#include "aggregator/api/report_counters.h"

namespace hearsay::aggregator {
namespace {

TEST_CASE("a backup request says how many to keep, or nothing") {
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

TEST_CASE("problems that a wrong clock causes tell the server's time, others do not") {
  for (const ErrorCode code : {ErrorCode::kReportTooEarly, ErrorCode::kReportExpired, ErrorCode::kTaskExpired}) {
    const HttpResponse response = make_problem_at({code, "why"}, 1'700'000'000);
    const Json problem = parse_json(response.body).value();
    CHECK(problem.at("now") == 1'700'000'000);
    CHECK(problem.at("detail") == "why");
    CHECK(problem.at("status") == response.status);
  }
  CHECK(!parse_json(make_problem_at({ErrorCode::kReportConflict, ""}, 5).body)->contains("now"));
  // Of several reports, the first one's problem.
  std::vector<ReportOutcome> outcomes(2);
  outcomes[0].rejection = Error{ErrorCode::kReportTooEarly, ""};
  outcomes[1].rejection = Error{ErrorCode::kReportConflict, ""};
  CHECK(parse_json(outcomes_response(outcomes, 7).body)->at("now") == 7);
  std::swap(outcomes[0], outcomes[1]);
  CHECK(!parse_json(outcomes_response(outcomes, 7).body)->contains("now"));
}

TEST_CASE("reports are counted by task, outcome and reason, and the series are named once") {
  MetricsRegistry registry;
  ReportCounters counters(registry);
  TaskId id{};
  TaskCounters& first = counters.of(id);
  first.accepted(3);
  first.replayed(2);
  first.rejected(ErrorCode::kReportConflict);
  first.rejected(ErrorCode::kReportConflict, 4);
  first.rejected(ErrorCode::kOverloaded);
  CHECK(&counters.of(id) == &first);
  id.bytes[0] = 1;
  counters.of(id).rejected(ErrorCode::kOverloaded, 2);
  CHECK(counters.overloads() == 3);

  const std::string text = registry.render();
  const auto has = [&](const std::string& line) { return text.find(line + "\n") != std::string::npos; };
  const std::string a(43, 'A');
  CHECK(has("hearsay_reports_accepted_total{task=\"" + a + "\"} 3"));
  CHECK(has("hearsay_reports_replayed_total{task=\"" + a + "\"} 2"));
  CHECK(has("hearsay_reports_rejected_total{reason=\"report_conflict\",task=\"" + a + "\"} 5"));
  CHECK(has("hearsay_reports_rejected_total{reason=\"overloaded\",task=\"" + id.to_string() + "\"} 2"));
}

}  // namespace
}  // namespace hearsay::aggregator
