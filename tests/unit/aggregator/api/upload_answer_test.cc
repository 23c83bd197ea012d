#include "aggregator/api/upload_answer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/strict_json.h"
#include "tests/support/laplace_tasks.h"

namespace hearsay::api {
namespace {

using Kind = ingest::ReportStatus::Kind;

// An upload with one report for each status. The tests use only the ids and the statuses.
struct Upload {
  explicit Upload(std::vector<ingest::ReportStatus> given) : statuses(std::move(given)) {
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      ReportId id{};
      id.bytes[0] = static_cast<std::uint8_t>(i);
      id.bytes[1] = static_cast<std::uint8_t>(i >> 8U);
      reports.push_back({id, 0, {}});
    }
  }
  http::HttpResponse answer(bool minimal) const {
    const auto count = [&](Kind kind) {
      return static_cast<std::uint64_t>(std::count_if(statuses.begin(), statuses.end(),
                                                      [&](const ingest::ReportStatus& s) { return s.kind == kind; }));
    };
    return upload_answer(ingest::UploadResult{task, 1'700'000'000, reports, statuses, count(Kind::kAccepted),
                                              count(Kind::kReplayed), count(Kind::kRejected)},
                         minimal);
  }

  Task task = hearsay::tests::laplace_task("b b", "1");
  std::vector<ingest::ReportStatus> statuses;
  std::vector<ReportView> reports;
};

constexpr ingest::ReportStatus kAccepted{Kind::kAccepted, {}};
constexpr ingest::ReportStatus kReplayed{Kind::kReplayed, {}};
constexpr ingest::ReportStatus kEarly{Kind::kRejected, ErrorCode::kReportTooEarly};
constexpr ingest::ReportStatus kConflict{Kind::kRejected, ErrorCode::kReportConflict};

TEST_CASE("a client that prefers a minimal answer gets no body if every report is counted") {
  for (const auto& statuses : {std::vector{kAccepted}, {kReplayed}, {kAccepted, kReplayed, kAccepted}}) {
    const http::HttpResponse response = Upload(statuses).answer(true);
    CHECK(response.status == 204);
    CHECK(response.body.empty());
    CHECK(response.headers.empty());
  }
}

TEST_CASE("the answer has a letter for the outcome of each report, in the order of the body") {
  const http::HttpResponse response =
      Upload({kAccepted, kConflict, kReplayed, kEarly, kEarly, kConflict}).answer(false);
  CHECK(response.status == 200);
  const Json json = Json::parse(response.body);
  CHECK(json.at("accepted") == 1);
  CHECK(json.at("replayed") == 1);
  CHECK(json.at("rejected") == 4);
  CHECK(json.at("outcomes") == "aAr2BA");
  REQUIRE(json.at("reasons").size() == 2);
  CHECK(json["reasons"].at("A").at("type") == "urn:hearsay:error:report_conflict");
  CHECK_FALSE(json["reasons"]["A"].contains("now"));
  CHECK(json["reasons"].at("B").at("type") == "urn:hearsay:error:report_too_early");
  CHECK(json["reasons"]["B"].at("now") == 1'700'000'000);
  CHECK_FALSE(json["reasons"]["B"].at("detail").get<std::string>().empty());
}

TEST_CASE("an answer without rejections has no reasons, and a minimal answer with rejections equals the full answer") {
  const Json json = Json::parse(Upload({kAccepted, kAccepted, kReplayed}).answer(false).body);
  CHECK(json.at("outcomes") == "2ar");
  CHECK(json.at("reasons") == Json::object());
  const std::vector<ingest::ReportStatus> mixed{kAccepted, kConflict, kReplayed};
  CHECK(Upload(mixed).answer(true).body == Upload(mixed).answer(false).body);
}

TEST_CASE("one refused report gets its own problem document, several reports get a 422 with their outcomes") {
  for (const bool minimal : {false, true}) {
    const http::HttpResponse one = Upload({kEarly}).answer(minimal);
    CHECK(one.status == 400);
    CHECK(one.content_type == "application/problem+json");
    const Json problem = Json::parse(one.body);
    CHECK(problem.at("type") == "urn:hearsay:error:report_too_early");
    CHECK(problem.at("status") == 400);
    CHECK(problem.at("now") == 1'700'000'000);
    CHECK_FALSE(problem.at("detail").get<std::string>().empty());
    CHECK(Upload({kConflict}).answer(minimal).status == 409);

    const http::HttpResponse two = Upload({kConflict, kEarly}).answer(minimal);
    CHECK(two.status == 422);
    const Json listed = Json::parse(two.body);
    CHECK(listed.at("status") == 422);
    CHECK(listed.at("type") == "urn:hearsay:error:report_conflict");
    CHECK(listed.at("outcomes") == "AB");
    CHECK(listed.at("reasons").at("B").at("type") == "urn:hearsay:error:report_too_early");
    CHECK(listed.at("rejected") == 2);
  }
}

TEST_CASE("an answer has at most one letter for each report, for any number of reports") {
  constexpr std::size_t kMany = 16'384;
  const std::string none = Upload(std::vector(kMany, kConflict)).answer(false).body;
  CHECK(none.size() < 1'000);
  CHECK(Json::parse(none).at("outcomes") == "16384A");
  std::vector<ingest::ReportStatus> mixed;
  for (std::size_t i = 0; i < kMany; ++i) mixed.push_back(i % 2 == 0 ? kAccepted : i % 3 == 0 ? kEarly : kConflict);
  const std::string worst = Upload(mixed).answer(false).body;
  CHECK(worst.size() < kMany + 1'000);
  // Expands the answer's run lengths to one letter for each report.
  std::string letters;
  std::size_t repeat = 0;
  for (const char c : Json::parse(worst).at("outcomes").get<std::string>()) {
    if (c >= '0' && c <= '9') {
      repeat = 10 * repeat + static_cast<std::size_t>(c - '0');
    } else {
      letters.append(repeat == 0 ? 1 : repeat, c);
      repeat = 0;
    }
  }
  REQUIRE(letters.size() == kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    if ((letters[i] == 'a') != (mixed[i] == kAccepted)) FAIL(i);
  }
}

TEST_CASE("if the whole body is refused, the answer is the error's problem document") {
  const http::HttpResponse response = upload_answer(
      Error{ErrorCode::kOverloaded, "too many reports are waiting: send the same bytes again later"}, true);
  CHECK(response.status == 503);
  CHECK(response.headers == std::vector<std::pair<std::string, std::string>>{{"Retry-After", "1"}});
}

}  // namespace
}  // namespace hearsay::api
