// Tests what the log says about calls of administrators, and about refused calls.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "common/base/strict_json.h"
#include "tests/e2e/aggregator.h"
#include "tests/support/temporary_directory.h"

namespace hearsay::e2e {
namespace {

// Returns the log's events about calls of administrators, without time and level.
std::vector<Json> admin_lines(const Aggregator& aggregator) {
  std::vector<Json> kept;
  std::istringstream in(aggregator.log_lines.str());
  for (std::string text; std::getline(in, text);) {
    Json line = parse_json(text).value();
    if (!line.at("event").get<std::string>().starts_with("admin_")) continue;
    line.erase("time");
    line.erase("level");
    kept.push_back(std::move(line));
  }
  return kept;
}

TEST_CASE("the log says which administrator did what before the answer is sent, at every log level") {
  const tests::TemporaryDirectory backups;
  const Aggregator aggregator([&](daemon::DaemonConfig& config) {
    config.backup_directory = backups.path();
    config.tokens[0].name = "alice";
  });
  CHECK(aggregator.ask("PUT", "/log-level", "error").status == 200);
  const Task task = tests::small_task("b");
  const std::string id = task.id().to_string();
  std::vector<Json> expected;
  const auto recorded = [&](const Json& call) {
    for (const char* event : {"admin_call", "admin_done"}) {
      Json line = call;
      line["event"] = event;
      line["who"] = "alice";
      line["number"] = expected.size() / 2 + 1;
      if (line.contains("error") && event == std::string("admin_call")) line.erase("error");
      expected.push_back(line);
    }
    CHECK(admin_lines(aggregator) == expected);
  };
  aggregator.create(task);
  recorded({{"call", "create_task"}, {"task", id}});
  CHECK(aggregator.call("POST", path_of(task, "/close"), "", kAdminToken).status == 200);
  recorded({{"call", "close_task"}, {"task", id}});
  CHECK(aggregator.call("POST", "/v1/backups", R"({"keep": 2})", kAdminToken).status == 201);
  recorded({{"call", "make_backup"}, {"keep", 2}});
  CHECK(aggregator.call("DELETE", path_of(task), "", kAdminToken).status == 204);
  recorded({{"call", "delete_task"}, {"task", id}});
  CHECK(aggregator.call("DELETE", path_of(task), "", kAdminToken).status == 404);
  recorded({{"call", "delete_task"}, {"task", id}, {"error", "unrecognizedTask"}});
  CHECK(aggregator.call("GET", "/v1/tasks", "", kAdminToken).status == 200);
  CHECK(aggregator.call("GET", "/v1/status", "", kAdminToken).status == 200);
  CHECK(aggregator.call("POST", path_of(task, "/reports"), "", "a guess", kCbor).status == 404);
  CHECK(admin_lines(aggregator) == expected);
}

TEST_CASE("the log records refused calls of administrators and analysts, and who made the calls") {
  const Aggregator aggregator;
  const Task task = tests::small_task("b");
  const auto refused = [&](const Json& line) {
    return http::eventually([&] {
      const auto lines = admin_lines(aggregator);
      return std::count(lines.begin(), lines.end(), line) == 1;
    });
  };
  const std::string id = task.id().to_string();
  CHECK(aggregator.call("DELETE", path_of(task), "", "a guess").status == 401);
  CHECK(refused({{"event", "admin_refused"},
                 {"who", nullptr},
                 {"call", "delete_task"},
                 {"task", id},
                 {"error", "unauthorized"}}));
  CHECK(aggregator.call("DELETE", path_of(task), "", kAnalystToken).status == 403);
  CHECK(refused({{"event", "admin_refused"},
                 {"who", "tokens[1]"},
                 {"call", "delete_task"},
                 {"task", id},
                 {"error", "forbidden"}}));
  CHECK(aggregator.call("GET", path_of(task, "/tally"), "", kUploaderToken).status == 403);
  CHECK(refused(
      {{"event", "admin_refused"}, {"who", "tokens[2]"}, {"call", "get_tally"}, {"task", id}, {"error", "forbidden"}}));
  CHECK(aggregator.call("POST", "/v1/tasks", "{}", kAdminToken).status == 400);
  CHECK(refused({{"event", "admin_refused"}, {"who", "tokens[0]"}, {"call", "create_task"}, {"error", "missing_key"}}));
  CHECK(aggregator.call("DELETE", path_of(task) + "?force=1", "", kAdminToken).status == 400);
  CHECK(refused({{"event", "admin_refused"},
                 {"who", "tokens[0]"},
                 {"call", "delete_task"},
                 {"task", id},
                 {"error", "unknown_key"}}));
}

}  // namespace
}  // namespace hearsay::e2e
