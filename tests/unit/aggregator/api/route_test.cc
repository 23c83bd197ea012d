#include <doctest/doctest.h>

#include "aggregator/api/route.h"

namespace hearsay::api {
namespace {

const std::string kId(43, 'A');

TEST_CASE("every documented call has its path, method and role") {
  struct Case {
    const char* method;
    std::string path;
    Call call;
    Role role;
    const char* name;
  };
  const std::vector<Case> cases{
      {"GET", "/v1/tasks", Call::kListTasks, Role::kAnalyst, "list_tasks"},
      {"POST", "/v1/tasks", Call::kCreateTask, Role::kAdmin, "create_task"},
      {"GET", "/v1/tasks/" + kId, Call::kGetTask, Role::kAnyone, "get_task"},
      {"DELETE", "/v1/tasks/" + kId, Call::kDeleteTask, Role::kAdmin, "delete_task"},
      {"POST", "/v1/tasks/" + kId + "/close", Call::kCloseTask, Role::kAdmin, "close_task"},
      {"POST", "/v1/tasks/" + kId + "/reports", Call::kPostReports, Role::kUploader, "post_reports"},
      {"POST", "/v1/tasks/" + kId + "/estimates", Call::kEstimate, Role::kAnalyst, "estimate"},
      {"GET", "/v1/tasks/" + kId + "/tally", Call::kGetTally, Role::kAnalyst, "get_tally"},
      {"GET", "/v1/status", Call::kGetStatus, Role::kAdmin, "get_status"},
      {"POST", "/v1/backups", Call::kMakeBackup, Role::kAdmin, "make_backup"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.path);
    const auto found = route(c.method, c.path);
    REQUIRE(found);
    CHECK(found->call == c.call);
    CHECK(found->role == c.role);
    CHECK(call_name(c.call) == c.name);
    CHECK(found->task.has_value() == (c.path.size() > 43));
  }
}

TEST_CASE("every other path is not found, and every other method is not allowed") {
  for (const std::string path : {"", "/", "/v1", "/v1/tasks/", "/v1/tasksx", "/v2/tasks", "/v1/tasks//close",
                                 "/v1/tasks//", "/v1/status/", "/v1/backups/1"}) {
    CAPTURE(path);
    const auto found = route("GET", path);
    REQUIRE(!found);
    CHECK(found.error().code == ErrorCode::kNotFound);
    CHECK(allowed_methods(path).empty());
  }
  CHECK(route("GET", "/v1/tasks/" + kId + "/").error().code == ErrorCode::kNotFound);
  CHECK(route("GET", "/v1/tasks/" + kId + "/reports/1").error().code == ErrorCode::kNotFound);
  CHECK(route("PUT", "/v1/tasks").error().code == ErrorCode::kMethodNotAllowed);
  CHECK(route("get", "/v1/tasks").error().code == ErrorCode::kMethodNotAllowed);
  CHECK(route("GET", "/v1/backups").error().code == ErrorCode::kMethodNotAllowed);
  CHECK(allowed_methods("/v1/tasks") == "GET, POST");
  CHECK(allowed_methods("/v1/backups") == "POST");
  CHECK(allowed_methods("/v1/tasks/" + kId) == "GET, DELETE");
  CHECK(route("GET", "/v1/tasks/" + kId + "A").error().code == ErrorCode::kUnrecognizedTask);
}

}  // namespace
}  // namespace hearsay::api
