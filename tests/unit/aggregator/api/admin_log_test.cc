#include "aggregator/api/admin_log.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/strict_json.h"
#include "tests/support/manual_clock.h"

namespace hearsay::api {
namespace {

struct Recorder final : Operations {
  Result<Json> backup(std::optional<std::uint32_t>) override { return Json(); }
  Json status() const override { return {}; }
  Result<void> record(std::string_view event, const Json& fields) override {
    if (fails) return Error{ErrorCode::kIo, "the log cannot be written: planted"};
    events.emplace_back(event, fields);
    return {};
  }
  bool fails = false;
  std::vector<std::pair<std::string, Json>> events;
};

struct AdminLogFixture {
  tests::ManualClock clock{1'000'020};
  Recorder recorder;
  AdminLog log{recorder, clock};
  TaskId task{};
  Route closing{Call::kCloseTask, Role::kAdmin, task, 0, "alice"};
};

using Events = std::vector<std::pair<std::string, Json>>;

TEST_CASE_FIXTURE(AdminLogFixture, "a call is recorded before and after, with the caller, the call and its outcome") {
  const std::string id = task.to_string();
  const auto first = log.begin(closing, task, {});
  REQUIRE(first);
  const Route backup{Call::kMakeBackup, Role::kAdmin, std::nullopt, 0, "bob"};
  const auto second = log.begin(backup, std::nullopt, {{"keep", 3}});
  REQUIRE(second);
  CHECK(log.end(*second, Error{ErrorCode::kStoreFailed, "full disk"}));
  CHECK(log.end(*first, std::nullopt));
  const Json closes{{"who", "alice"}, {"call", "close_task"}, {"task", id}, {"number", 1}};
  const Json backs_up{{"who", "bob"}, {"call", "make_backup"}, {"keep", 3}, {"number", 2}};
  Json failed = backs_up;
  failed["error"] = "store_failed";
  CHECK(recorder.events ==
        Events{{"admin_call", closes}, {"admin_call", backs_up}, {"admin_done", failed}, {"admin_done", closes}});
}

TEST_CASE_FIXTURE(AdminLogFixture,
                  "a call that cannot be recorded gets an error, which says whether the call was carried out") {
  const auto begun = log.begin(closing, task, {});
  REQUIRE(begun);
  recorder.fails = true;
  const auto ended = log.end(*begun, std::nullopt);
  CHECK(ended.error().code == ErrorCode::kIo);
  CHECK(ended.error().message == "the call was carried out, but the log cannot be written: planted");
  CHECK(log.begin(closing, task, {}).error().message == "nothing was changed: the log cannot be written: planted");
}

TEST_CASE_FIXTURE(AdminLogFixture, "up to 60 refusals a minute are recorded, and further refusals are counted") {
  int recorded = 0;
  for (int i = 0; i < 100; ++i) {
    if (!log.takes_refusal(false)) continue;
    log.refused(closing, std::nullopt, ErrorCode::kUnauthorized);
    ++recorded;
  }
  CHECK(recorded == 60);
  CHECK(recorder.events.back() ==
        Events::value_type{
            "admin_refused",
            {{"who", nullptr}, {"call", "close_task"}, {"task", task.to_string()}, {"error", "unauthorized"}}});
  // Refusals of callers without a token do not use up the limit for callers with a token.
  REQUIRE(log.takes_refusal(true));
  log.refused(closing, "an analyst", ErrorCode::kForbidden);
  CHECK(recorder.events.back().second.at("who") == "an analyst");
  CHECK(!recorder.events.back().second.contains("left_out"));
  for (int i = 1; i < 60; ++i) CHECK(log.takes_refusal(true));
  CHECK_FALSE(log.takes_refusal(true));
  clock.advance(std::chrono::seconds(60));
  for (const auto& [who, left_out] : {std::pair(std::optional<std::string>(), 40), {"an analyst", 1}}) {
    REQUIRE(log.takes_refusal(who.has_value()));
    log.refused(closing, who, ErrorCode::kForbidden);
    CHECK(recorder.events.back().second.at("left_out") == left_out);
    REQUIRE(log.takes_refusal(who.has_value()));
    log.refused(closing, who, ErrorCode::kForbidden);
    CHECK(!recorder.events.back().second.contains("left_out"));
  }
}

}  // namespace
}  // namespace hearsay::api
