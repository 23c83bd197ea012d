// Tests a daemon whose reports spread over several databases. A database is added, a database is down, and changes of a
// task reach all databases or none.
#include <csignal>

#include "tests/e2e/database_daemon.h"
#include "tests/e2e/process.h"

namespace hearsay::e2e {
namespace {

constexpr std::uint64_t kMinute = 60;
constexpr std::uint32_t kReports = 16;  // reports for each minute; the map of two databases gives half of them to each

// Two servers, each with one database. At first the daemon runs on the first database alone.
struct Survey {
  PostgresServer first;
  PostgresServer second;
  const std::string first_uri = make_database(first);
  const std::string second_uri = make_database(second);
  std::string store = first_uri;  // the configuration's `store` at the daemon's next start
  // Runs `hearsay store map add` with the databases. Returns the answer.
  Json map(const std::vector<std::string>& databases) const {
    std::vector<std::string> arguments{"store", "map", "add", "--allow-lossy-database"};
    arguments.insert(arguments.end(), databases.begin(), databases.end());
    const Output output = run(kHearsay, arguments);
    REQUIRE_MESSAGE(output.status == 0, output.text);
    return parse_json(output.text).value();
  }
  const Json before = map({first_uri});
  // The daemon takes reports of the next hour, so that the test need not wait until the map's next version begins.
  Sharing daemon{"", "a", [this](daemon::DaemonConfig& config) {
                   config.store = store;
                   config.clock_skew = std::chrono::hours(1);
                 }};
};

Reply post_numbered(const Aggregator& daemon, const Task& task, std::uint32_t i, UnixSeconds time) {
  return post(daemon, task, numbered(task, i * 256 / kReports, time));
}

// Uploads each report of the minute `time` in a request of its own. Returns the replies.
std::vector<Reply> post_all(const Aggregator& daemon, const Task& task, UnixSeconds time) {
  std::vector<Reply> replies;
  for (std::uint32_t i = 0; i < kReports; ++i) replies.push_back(post_numbered(daemon, task, i, time));
  return replies;
}

std::uint32_t taken(const std::vector<Reply>& replies) {
  return static_cast<std::uint32_t>(std::ranges::count(replies, 200, &Reply::status));
}

std::uint32_t reports_in(const PostgresServer& server) {
  return static_cast<std::uint32_t>(std::stoul(server.run("test1", "SELECT count(*) FROM hearsay.ids")));
}

// Checks that the refusal tells the client to try again, and does not name the database.
void check_refused(const Reply& reply) {
  CHECK(reply.status == 503);
  CHECK(problem_name(reply) == "store_failed");
  CHECK(reply.field("retry-after") == "5");
}

// Checks that the refusal names the database for the operator.
void check_names(const Reply& reply, const PostgresServer& server) {
  CHECK(reply.status == 503);
  CHECK_MESSAGE(reply.body.find(server.directory().string()) != std::string::npos, reply.body);
}

Reply close(const Survey& survey, const Task& task) {
  return survey.daemon.call("POST", path_of(task, "/close"), "", kAdminToken);
}

TEST_CASE(
    "a second database is added, goes down and comes back: each report counts once, and no answer lacks a database's "
    "reports") {
  Survey survey;
  const UnixSeconds now = make_system_clock()->now();
  const UnixSeconds minute = now - now % kMinute;
  const Task task = task_of_today("spread", kMinute);
  {
    // `usual` has the default allowance for reports ahead of the clock. The largest allowance of a daemon so far
    // decides when the map's next version can begin.
    const Sharing usual(survey.first_uri, "b");
    usual.create(task);
    CHECK(taken(post_all(usual, task, minute)) == kReports);
  }

  const Json after = survey.map({survey.first_uri, survey.second_uri});
  REQUIRE(after.at("versions").size() == 2);
  const UnixSeconds from = after.at("versions").at(1).at("from");
  const UnixSeconds later = (from + kMinute - 1) / kMinute * kMinute;
  CHECK(later > minute);
  // The daemon does not know the second database, so it refuses the half of the reports that belongs there.
  const std::vector<Reply> half = post_all(survey.daemon, task, later);
  CHECK(taken(half) == kReports / 2);
  for (const Reply& reply : half) {
    if (reply.status != 200) check_refused(reply);
  }
  survey.store = survey.second_uri + " " + survey.first_uri;  // `store` may name the databases in any order
  survey.daemon.restart();
  CHECK(taken(post_all(survey.daemon, task, later)) == kReports);
  CHECK(taken(post_all(survey.daemon, task, minute)) == kReports);  // the daemon calls all these reports replayed
  CHECK(counted(survey.daemon, task) == 2 * kReports);
  CHECK(reports_in(survey.first) == kReports + kReports / 2);
  CHECK(reports_in(survey.second) == kReports / 2);

  survey.second.stop(SIGKILL);
  const std::vector<Reply> without = post_all(survey.daemon, task, later + kMinute);
  CHECK(taken(without) == kReports / 2);
  for (const Reply& reply : without) {
    if (reply.status != 200) check_refused(reply);
  }
  const std::string queries = R"({"queries": ["b"]})";
  check_names(survey.daemon.call("POST", path_of(task, "/estimates"), queries, kAnalystToken), survey.second);
  check_names(survey.daemon.call("GET", path_of(task, "/tally"), "", kAnalystToken), survey.second);
  check_names(close(survey, task), survey.second);
  check_names(survey.daemon.call("DELETE", path_of(task), "", kAdminToken), survey.second);
  CHECK(survey.daemon.ask("GET", "/readyz").status == 200);

  survey.second.start();
  CHECK(http::eventually([&] { return taken(post_all(survey.daemon, task, later + kMinute)) == kReports; }));
  CHECK(counted(survey.daemon, task) == 3 * kReports);
  CHECK(survey.daemon.call("POST", path_of(task, "/estimates"), queries, kAnalystToken).status == 200);
  CHECK(http::eventually([&] { return close(survey, task).status == 200; }));
  for (std::uint32_t i = 0; i < kReports; ++i) {
    CHECK(problem_name(post_numbered(survey.daemon, task, i, later)) == "task_closed");
  }
  CHECK(survey.daemon.call("DELETE", path_of(task), "", kAdminToken).status == 204);
  for (const PostgresServer* server : {&survey.first, &survey.second}) {
    CHECK(server->run("test1", "SELECT count(*) FROM hearsay.tasks") == "0");
  }
}

}  // namespace
}  // namespace hearsay::e2e
