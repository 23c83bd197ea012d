#include "aggregator/api/upload_answer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "common/base/strict_json.h"
#include "tests/support/laplace_tasks.h"

namespace hearsay::api {
namespace {

using Kind = ingest::ReportStatus::Kind;

// Reports of which only ids and statuses matter.
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

TEST_CASE("who prefers a minimal answer gets none where every report is counted") {
  for (const auto& statuses : {std::vector{kAccepted}, {kReplayed}, {kAccepted, kReplayed, kAccepted}}) {
    const http::HttpResponse response = Upload(statuses).answer(true);
    CHECK(response.status == 204);
    CHECK(response.body.empty());
    CHECK(response.headers.empty());
  }
}

TEST_CASE("the full answer lists every report in the body's order") {
  const Upload upload({kAccepted, kConflict, kReplayed});
  const http::HttpResponse response = upload.answer(false);
  CHECK(response.status == 200);
  const Json json = Json::parse(response.body);
  CHECK(json.at("accepted") == 1);
  CHECK(json.at("replayed") == 1);
  CHECK(json.at("rejected") == 1);
  REQUIRE(json.at("outcomes").size() == 3);
  const std::array<std::string, 3> expected{"accepted", "rejected", "replayed"};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(json["outcomes"][i].at("status") == expected[i]);
    CHECK(json["outcomes"][i].at("id") == upload.reports[i].id.to_string());
  }
  CHECK(json["outcomes"][1].at("type") == "urn:hearsay:error:report_conflict");
}

TEST_CASE("a minimal answer with rejections lists just these, with their places") {
  const Json json = Json::parse(Upload({kAccepted, kConflict, kReplayed, kEarly}).answer(true).body);
  REQUIRE(json.at("outcomes").size() == 2);
  CHECK(json["outcomes"][0].at("index") == 1);
  CHECK(json["outcomes"][1].at("index") == 3);
  CHECK(json["outcomes"][1].at("type") == "urn:hearsay:error:report_too_early");
  CHECK(json["outcomes"][1].at("now") == 1'700'000'000);
  CHECK_FALSE(json["outcomes"][0].contains("now"));
  CHECK(json.at("rejected") == 2);
}

TEST_CASE("one refused report is its own problem, several are 422 with their outcomes") {
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
    CHECK(listed.at("outcomes").size() == 2);
    CHECK(listed.at("rejected") == 2);
  }
}

TEST_CASE("long answers are bounded: of very many reports only rejected ones are listed, and not all") {
  std::vector<ingest::ReportStatus> statuses(kMaxListedOutcomes, kAccepted);
  CHECK(Json::parse(Upload(statuses).answer(false).body).at("outcomes").size() == kMaxListedOutcomes);
  statuses.push_back(kConflict);
  const Json json = Json::parse(Upload(statuses).answer(false).body);
  REQUIRE(json.at("outcomes").size() == 1);
  CHECK(json["outcomes"][0].at("index") == kMaxListedOutcomes);
  CHECK(json.at("accepted") == kMaxListedOutcomes);

  const Json none = Json::parse(Upload(std::vector(kMaxListedOutcomes + 7, kConflict)).answer(false).body);
  CHECK(none.at("outcomes").size() == kMaxListedOutcomes);
  CHECK(none.at("rejected") == kMaxListedOutcomes + 7);
}

TEST_CASE("a body refused whole is its error's problem") {
  const http::HttpResponse response =
      upload_answer(Error{ErrorCode::kOverloaded, "too many reports are waiting"}, true);
  CHECK(response.status == 503);
  CHECK(response.headers == std::vector<std::pair<std::string, std::string>>{{"Retry-After", "1"}});
}

}  // namespace
}  // namespace hearsay::api
