// Tests daemons that share a PostgreSQL database: all have the same tasks, and each report is counted once.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "tests/e2e/database_daemon.h"

namespace hearsay::e2e {
namespace {

TEST_CASE("a task that one daemon creates, closes or deletes is created, closed or deleted for the other") {
  const std::string uri = make_database(PostgresServer::shared());
  const Sharing a(uri, "a");
  const Sharing b(uri, "b");
  const Task task = task_of_today("shared");
  a.create(task);
  CHECK(post(b, task, numbered(task, 1)).status == 200);  // daemon b reads the task from the database
  CHECK(post(a, task, numbered(task, 1)).body.find("\"replayed\":1") != std::string::npos);
  CHECK(post(a, task, numbered(task, 2)).status == 200);
  CHECK(counted(a, task) == 2);
  CHECK(counted(b, task) == 2);
  CHECK(a.tally(task) == b.tally(task));

  CHECK(a.call("POST", path_of(task, "/close"), "", kAdminToken).status == 200);
  // Daemon b refuses at once, since it reads the task's state in the transaction of each upload.
  CHECK(problem_name(post(b, task, numbered(task, 3))) == "task_closed");
  CHECK(counted(b, task) == 2);
  const Task other = task_of_today("other");
  a.create(other);
  CHECK(http::eventually([&] { return b.call("GET", path_of(other)).status == 200; }));
  CHECK(a.call("DELETE", path_of(other), "", kAdminToken).status == 204);
  CHECK(problem_name(post(b, other, numbered(other, 1))) == "unrecognizedTask");
  CHECK(http::eventually([&] { return b.call("GET", path_of(other)).status == 404; }));
}

TEST_CASE("if one daemon deletes a task and another daemon creates it again at once, the task exists") {
  const std::string uri = make_database(PostgresServer::shared());
  const Sharing a(uri, "a");
  const Sharing b(uri, "b");
  const Task task = task_of_today("again");
  a.create(task);
  REQUIRE(http::eventually([&] { return b.call("GET", path_of(task)).status == 200; }));
  REQUIRE(a.call("DELETE", path_of(task), "", kAdminToken).status == 204);
  // If daemon b does not know of the deletion yet, daemon b answers 200: the task exists already.
  const unsigned created = b.call("POST", "/v1/tasks", task.canonical_json(), kAdminToken).status;
  CHECK((created == 200 || created == 201));
  CHECK(post(a, task, numbered(task, 1)).status == 200);
  CHECK(post(b, task, numbered(task, 1)).status == 200);
  CHECK(counted(b, task) == 1);
}

TEST_CASE("two hundred concurrent copies of each report over two daemons are counted once") {
  constexpr std::uint32_t kReports = 10'000;
  constexpr std::uint32_t kBatch = 1000;
  constexpr int kCopies = 200;
  constexpr int kThreads = 20;
  const std::string uri = make_database(PostgresServer::shared());
  const Sharing a(uri, "a");
  const Sharing b(uri, "b");
  const Task task = task_of_today("duplicates");
  a.create(task);
  REQUIRE(http::eventually([&] { return b.call("GET", path_of(task)).status == 200; }));
  std::vector<std::string> bodies;
  for (std::uint32_t from = 0; from < kReports; from += kBatch) {
    std::vector<std::uint8_t> bytes;
    for (std::uint32_t i = from; i < from + kBatch; ++i) append_report(numbered(task, i), bytes);
    bodies.emplace_back(bytes.begin(), bytes.end());
  }
  std::atomic<std::uint64_t> refused{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        const Aggregator& to = t % 2 == 0 ? static_cast<const Aggregator&>(a) : b;
        for (const std::string& body : bodies) {
          for (int copy = 0; copy < kCopies / kThreads; ++copy) {
            refused += to.call("POST", path_of(task, "/reports"), body, "", kCbor).status != 200 ? 1 : 0;
          }
        }
      });
    }
  }
  CHECK(refused == 0);
  CHECK(counted(a, task) == kReports);
  const auto sum = [&](const std::string& name, const std::string& id) {
    const auto of = [&](const Aggregator& daemon, const std::string& instance) {
      return daemon.metric("hearsay_reports_" + name + "_total{instance=\"" + instance + "\",task=\"" + id + "\"}");
    };
    return of(a, "a") + of(b, "b");
  };
  CHECK(sum("accepted", task.id().to_string()) == kReports);
  CHECK(sum("replayed", task.id().to_string()) == kReports * (kCopies - 1));
}

TEST_CASE("a daemon whose name another daemon takes is not ready, and acknowledges nothing more") {
  const std::string uri = make_database(PostgresServer::shared());
  const Sharing first(uri, "a");
  const Task task = task_of_today("shut out");
  first.create(task);
  const Sharing second(uri, "a");
  CHECK(problem_name(post(first, task, numbered(task, 1))) == "store_failed");
  CHECK(
      http::eventually([&] { return first.log_lines.str().find("under this instance's name") != std::string::npos; }));
  CHECK(reasons(first) == Json{"store_failed", "instance_shut_out"});
  CHECK(first.log_lines.str().find("\"error\":\"in_use\"") != std::string::npos);
  CHECK(post(second, task, numbered(task, 1)).status == 200);
  CHECK(counted(second, task) == 1);
}

}  // namespace
}  // namespace hearsay::e2e
