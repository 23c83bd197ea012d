// Tests the operator's tools: logs, readiness, metrics, status, backups, the log level.
#include <doctest/doctest.h>

#include <fstream>
#include <regex>
#include <set>
#include <thread>

#include "common/base/strict_json.h"
#include "common/random/bit_source.h"
#include "common/report/randomize.h"
#include "tests/e2e/aggregator.h"
#include "tests/support/golden.h"
#include "tests/support/patience.h"
#include "tests/support/temporary_directory.h"

namespace hearsay::e2e {
namespace {

using tests::kTaskStart;

Report report_of(const Task& task, UnixSeconds now) {
  return randomize(task, Record::create(task.schema(), {1}).value(), now, system_bit_source()).value();
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const auto json = parse_json(line);
    REQUIRE_MESSAGE(json, line);
    lines.push_back(*json);
  }
  return lines;
}

std::vector<std::string> names_of(const std::vector<Json>& lines) {
  std::vector<std::string> names;
  for (const Json& line : lines) names.push_back(line.at("event"));
  return names;
}

std::int64_t times_logged(const Aggregator& aggregator, std::string_view event) {
  const auto names = names_of(lines_of(aggregator.log_lines.str()));
  return std::count(names.begin(), names.end(), event);
}

Json readiness(const Aggregator& aggregator, unsigned status) {
  const Reply reply = aggregator.ask("GET", "/readyz");
  CHECK(reply.status == status);
  return parse_json(reply.body).value();
}

TEST_CASE("the log of a daemon's life has JSON lines without tokens, addresses, ids or bodies") {
  Aggregator aggregator;
  const Task task = tests::small_task("b");
  aggregator.create(task);
  const Report report = report_of(task, kTaskStart);
  CHECK(post(aggregator, task, report).status == 200);
  CHECK(post(aggregator, task, report).status == 200);
  CHECK(aggregator.call("GET", "/v1/tasks", "", "a wrong token").status == 401);
  CHECK(http::eventually([&] { return times_logged(aggregator, "admin_refused") == 1; }));
  CHECK(aggregator.ask("PUT", "/log-level", "debug").status == 200);
  CHECK(aggregator.daemon->reload_certificate());
  std::filesystem::remove(aggregator.certificate.files().private_key);
  CHECK(!aggregator.daemon->reload_certificate());
  aggregator.daemon->stop();

  const auto lines = lines_of(aggregator.log_lines.str());
  CHECK(names_of(lines) == std::vector<std::string>{"start", "admin_call", "admin_done", "admin_refused",
                                                    "log_level_changed", "certificate_reloaded", "certificate_failed",
                                                    "draining", "stopped"});
  for (const Json& line : lines) {
    CHECK(
        std::regex_match(line.at("time").get<std::string>(), std::regex(R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)")));
    CHECK(line.contains("level"));
  }
  CHECK(lines.front().at("tasks") == 0);
  CHECK(lines.front().at("port") == aggregator.daemon->port());
  CHECK(lines.back().at("accepted") == 1);
  CHECK(lines.back().at("replayed") == 1);
  CHECK(lines.back().at("rejected") == 0);
  const std::string text = aggregator.log_lines.str();
  for (const std::string& secret :
       {std::string(kAdminToken), std::string("a wrong token"), report.id.to_string(), std::string("127.0.0.1")}) {
    CAPTURE(secret);
    CHECK(text.find(secret) == std::string::npos);
  }
}

TEST_CASE("readyz answers 200 while the daemon takes reports, and otherwise names the fault") {
  std::uint64_t floor = 0;
  Aggregator aggregator([&](daemon::DaemonConfig& config) { config.min_free_bytes = floor; });
  CHECK(readiness(aggregator, 200) == Json{{"ready", true}, {"reasons", Json::array()}, {"warnings", Json::array()}});
  CHECK(aggregator.metric("hearsay_ready") == 1);

  // In a hundred years the test's certificate has expired.
  aggregator.clock.advance(std::chrono::hours(24 * 365 * 100));
  CHECK(readiness(aggregator, 503).at("reasons") == Json{"certificate_expired"});
  CHECK(aggregator.metric("hearsay_ready") == 0);
  CHECK(aggregator.metric("hearsay_certificate_expiry_seconds") < 0);
  CHECK(aggregator.ask("GET", "/healthz").status == 200);

  floor = ~std::uint64_t{0};
  aggregator.restart();
  CHECK(readiness(aggregator, 503).at("reasons") == Json{"certificate_expired", "disk_nearly_full"});
}

TEST_CASE("the daemon has exactly the metrics of aggregator/docs/metrics.md") {
  const tests::TemporaryDirectory backups;
  Aggregator aggregator([&](daemon::DaemonConfig& config) { config.backup_directory = backups.path(); });
  const Task task = tests::small_task("b");
  aggregator.create(task);
  const Report report = report_of(task, kTaskStart);
  CHECK(post(aggregator, task, report).status == 200);
  CHECK(post(aggregator, task, report).status == 200);
  CHECK(post(aggregator, task, report_of(task, kTaskStart + 2 * tests::kDay)).status == 400);

  std::set<std::string> exposed;
  std::istringstream exposition(aggregator.ask("GET", "/metrics").body);
  for (std::string line; std::getline(exposition, line);) {
    if (line.starts_with("# TYPE ")) exposed.insert(line.substr(7, line.find(' ', 7) - 7));
  }
  std::ifstream table(tests::tests_directory() / "../aggregator/docs/metrics.md");
  REQUIRE(table);
  std::set<std::string> documented;
  // Leaves out the metrics with the label `database`, because this aggregator has no database.
  const std::regex row(R"(\| `((hearsay|process)_[a-z_]+)`(?!.*\| `database` \|).*)");
  for (std::string line; std::getline(table, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) documented.insert(match[1]);
  }
  CHECK(exposed == documented);
  CHECK(aggregator.metric("hearsay_tasks") == 1);
  CHECK(aggregator.metric("hearsay_store_healthy") == 1);
  CHECK(aggregator.metric("process_resident_memory_bytes") > 1e6);
  CHECK(aggregator.metric("process_cpu_seconds_total") > 0);
  CHECK(aggregator.metric("process_threads") > 5);
  CHECK(aggregator.metric("process_max_fds") >= aggregator.metric("process_open_fds"));
  CHECK(aggregator.metric("process_start_time_seconds") == aggregator.clock.now());
  CHECK(aggregator.metric("hearsay_store_free_bytes") > 0);
  const std::string labels = R"({reason="report_too_early",task=")" + task.id().to_string() + "\"}";
  CHECK(aggregator.metric("hearsay_reports_rejected_total" + labels) == 1);
}

TEST_CASE("the metrics of an open task exist before its first report, also after a restart") {
  Aggregator aggregator;
  const Task open = tests::small_task("b", "1", 2);
  const Task closed = tests::small_task("b b", "1", 2);
  TaskSpec later = tests::small_task("b b b").spec();
  later.task_start += 30 * tests::kDay;
  const Task coming = Task::create(later).value();
  const auto shows = [&](const std::string& series, const Task& task, int value) {
    const std::string line = series + "{task=\"" + task.id().to_string() + "\"} " + std::to_string(value) + "\n";
    return aggregator.ask("GET", "/metrics").body.find("\n" + line) != std::string::npos;
  };
  for (const Task* task : {&open, &closed, &coming}) {
    aggregator.create(*task);
    CHECK(shows("hearsay_reports_accepted_total", *task, 0));
    CHECK(shows("hearsay_reports_replayed_total", *task, 0));
  }
  CHECK(shows("hearsay_task_open", open, 1));
  CHECK(shows("hearsay_task_open", coming, 0));
  CHECK(aggregator.call("POST", path_of(closed, "/close"), "", kAdminToken).status == 200);
  CHECK(shows("hearsay_task_open", closed, 0));

  aggregator.restart();
  CHECK(shows("hearsay_reports_accepted_total", open, 0));
  CHECK(shows("hearsay_reports_accepted_total", coming, 0));
  CHECK(!shows("hearsay_reports_accepted_total", closed, 0));
  CHECK(post(aggregator, open, report_of(open, kTaskStart)).status == 200);
  CHECK(shows("hearsay_reports_accepted_total", open, 1));
  aggregator.clock.advance(std::chrono::hours(48));
  CHECK(shows("hearsay_task_open", open, 0));
  CHECK(aggregator.call("DELETE", path_of(open), "", kAdminToken).status == 204);
  CHECK(shows("hearsay_task_open", open, 0));
}

TEST_CASE("the log level changes at run time") {
  Aggregator aggregator;
  CHECK(aggregator.ask("PUT", "/log-level", "error").status == 200);
  CHECK(parse_json(aggregator.ask("GET", "/log-level").body)->at("log_level") == "error");
  CHECK(aggregator.ask("PUT", "/log-level", "loud").status == 400);
  CHECK(aggregator.daemon->reload_certificate());  // a reload logs an event of level info
  aggregator.daemon->stop();
  CHECK(names_of(lines_of(aggregator.log_lines.str())) == std::vector<std::string>{"start", "log_level_changed"});
}

TEST_CASE("a web page in the operator's browser changes nothing") {
  const Aggregator aggregator;
  const auto put = [&](const std::string& host, const std::string& fields) {
    http::TestClient client(aggregator.daemon->operator_port());
    CHECK(client.send("PUT /log-level HTTP/1.1\r\nHost: " + host + "\r\n" + fields + "Content-Length: 5\r\n\r\ndebug"));
    const auto reply = client.read();
    REQUIRE(reply);
    return reply->status;
  };
  CHECK(put("localhost", "Origin: https://evil.example\r\n") == 403);
  CHECK(put("evil.example", "") == 403);
  CHECK(parse_json(aggregator.ask("GET", "/log-level").body)->at("log_level") == "info");
  CHECK(put("127.0.0.1", "") == 200);
}

TEST_CASE("status and the list of tasks count reports and windows") {
  Aggregator aggregator;
  const Task task = tests::small_task("b");
  aggregator.create(task);
  aggregator.clock.advance(std::chrono::hours(24));
  for (const UnixSeconds time : {kTaskStart, kTaskStart, kTaskStart + tests::kDay}) {
    CHECK(post(aggregator, task, report_of(task, time)).status == 200);
  }
  const Json listed = parse_json(aggregator.call("GET", "/v1/tasks", "", kAdminToken).body)->at("tasks").at(0);
  CHECK(listed.at("reports") == 3);
  CHECK(listed.at("windows") == 2);
  const Json status = parse_json(aggregator.call("GET", "/v1/status", "", kAdminToken).body).value();
  CHECK(status.at("ready") == true);
  CHECK(status.at("tasks") == 1);
  CHECK(status.at("now") == aggregator.clock.now());
  CHECK(status.at("queue").at("bytes") == 0);
  CHECK(status.at("store").at("healthy") == true);
}

TEST_CASE("a backup needs a directory, and the answer and the log name the backup") {
  const tests::TemporaryDirectory backups;
  std::string directory;
  Aggregator aggregator([&](daemon::DaemonConfig& config) { config.backup_directory = directory; });
  CHECK(problem_name(aggregator.call("POST", "/v1/backups", "", kAdminToken)) == "not_found");
  directory = backups.path();
  aggregator.restart();
  const Task task = tests::small_task("b");
  aggregator.create(task);
  CHECK(problem_name(aggregator.call("POST", "/v1/backups", R"({"keep": 0})", kAdminToken)) == "invalid_argument");
  const Reply made = aggregator.call("POST", "/v1/backups", R"({"keep": 2})", kAdminToken);
  CHECK(made.status == 201);
  CHECK(parse_json(made.body)->contains("number"));
  const std::string when = "hearsay_backup_last_success_timestamp_seconds";
  const double made_at = parse_json(made.body)->at("time").get<double>();
  CHECK(aggregator.metric(when) == made_at);
  aggregator.restart();
  CHECK(aggregator.metric(when) == made_at);  // the restarted daemon knows the time of the last backup
  // Makes the next backup fail: a file takes the place of the directory for backups.
  std::filesystem::remove_all(backups.path());
  std::ofstream(backups.path()) << "no directory";
  CHECK(aggregator.call("POST", "/v1/backups", "", kAdminToken).status >= 500);
  CHECK(aggregator.metric("hearsay_backup_last_failed") == 1);
  CHECK(aggregator.metric(when) == made_at);
  std::filesystem::remove(backups.path());
  CHECK(aggregator.call("POST", "/v1/backups", "", kAdminToken).status == 201);
  CHECK(aggregator.metric("hearsay_backup_last_failed") == 0);
  aggregator.daemon->stop();
  const auto names = names_of(lines_of(aggregator.log_lines.str()));
  CHECK(std::count(names.begin(), names.end(), "backup_made") == 2);
}

TEST_CASE(
    "old windows are sealed: their tally stays, their reports are not taken again, also when the clock goes back") {
  Aggregator aggregator([](daemon::DaemonConfig& config) { config.expiry_interval = std::chrono::seconds(1); });
  TaskSpec spec = tests::small_task("b").spec();
  spec.report_expiry_age = tests::kDay;
  const Task task = Task::create(spec).value();
  aggregator.create(task);
  CHECK(post(aggregator, task, report_of(task, kTaskStart)).status == 200);
  const std::string tally = aggregator.tally(task);
  CHECK(aggregator.metric("hearsay_reports_stored") == 1);
  aggregator.clock.advance(std::chrono::seconds(2 * tests::kDay - 3600));
  CHECK(http::eventually([&] { return aggregator.metric("hearsay_reports_stored") == 0; }));
  CHECK(aggregator.tally(task) == tally);
  const Reply late = post(aggregator, task, report_of(task, kTaskStart));
  CHECK(late.status == 410);
  CHECK(problem_name(late) == "report_expired");
  CHECK(parse_json(late.body)->at("now") == aggregator.clock.now());
  // By this clock the sealed windows lie in the future. Clients must keep their reports, and readyz must name the
  // fault.
  aggregator.clock.advance(-std::chrono::hours(36));
  const Reply early = post(aggregator, task, report_of(task, kTaskStart));
  CHECK(early.status == 503);
  CHECK(problem_name(early) == "clock_uncertain");
  CHECK(aggregator.tally(task) == tally);
  CHECK(readiness(aggregator, 503).at("reasons") == Json{"windows_sealed_ahead"});
  CHECK(aggregator.metric("hearsay_sealed_ahead_seconds") == 2 * tests::kDay);
  aggregator.daemon->stop();
  const auto names = names_of(lines_of(aggregator.log_lines.str()));
  CHECK(std::count(names.begin(), names.end(), "expired") == 1);
  CHECK(std::count(names.begin(), names.end(), "clock_jumped") >= 1);
}

TEST_CASE("the daemon lowers max_connections below the number of file descriptors") {
  Aggregator aggregator([](daemon::DaemonConfig& config) { config.max_connections = 1'000'000'000; });
  aggregator.daemon->stop();
  const auto lines = lines_of(aggregator.log_lines.str());
  REQUIRE(!lines.empty());
  CHECK(lines.front().at("event") == "max_connections_lowered");
  CHECK(lines.front().at("to").get<std::uint64_t>() < lines.front().at("descriptors").get<std::uint64_t>());
}

TEST_CASE("the server's clock jumps ahead and back: counted reports stay, and new reports are taken") {
  Aggregator aggregator;
  const Task task = tests::small_task("b", "1", 20'000);
  aggregator.create(task);
  CHECK(post(aggregator, task, report_of(task, kTaskStart)).status == 200);
  aggregator.clock.advance(std::chrono::hours(24 * 365));
  CHECK(post(aggregator, task, report_of(task, kTaskStart + 365 * tests::kDay)).status == 200);
  aggregator.clock.advance(-std::chrono::hours(24 * 365));
  CHECK(problem_name(post(aggregator, task, report_of(task, kTaskStart + 365 * tests::kDay))) == "report_too_early");
  CHECK(post(aggregator, task, report_of(task, kTaskStart)).status == 200);
  aggregator.clock.advance(-std::chrono::hours(24 * 365));
  CHECK(problem_name(post(aggregator, task, report_of(task, kTaskStart))) == "report_too_early");
  const Json tally = parse_json(aggregator.tally(task)).value();
  REQUIRE(tally.at("windows").size() == 2);
  CHECK(tally.at("windows")[0].at("reports") == 2);
  CHECK(tally.at("windows")[1].at("reports") == 1);
}

TEST_CASE("a clock that jumps ahead seals nothing and refuses no report for good, also after a restart") {
  Aggregator aggregator([](daemon::DaemonConfig& config) {
    config.expiry_interval = std::chrono::seconds(1);
    config.clock_settling = std::chrono::hours(1);
  });
  TaskSpec spec = tests::small_task("b").spec();
  spec.report_expiry_age = tests::kDay;
  const Task task = Task::create(spec).value();
  aggregator.create(task);
  CHECK(post(aggregator, task, report_of(task, kTaskStart)).status == 200);
  const auto commits = [&] {
    return parse_json(aggregator.call("GET", "/v1/status", "", kAdminToken).body)->at("store").at("commits").get<int>();
  };
  REQUIRE(http::eventually([&] { return commits() >= 4; }));
  aggregator.clock.advance(std::chrono::hours(24 * 10));
  for (int start = 0; start < 2; ++start) {
    // The clock jumps by more than the interval at which the daemon removes expired windows.
    for (int second = 0; second < 3; ++second) {
      const Reply reply = post(aggregator, task, report_of(task, kTaskStart));
      CHECK(reply.status == 503);
      CHECK(problem_name(reply) == "clock_uncertain");
      CHECK(aggregator.metric("hearsay_clock_in_doubt") == 1);
      std::this_thread::sleep_for(std::chrono::milliseconds(700));
    }
    CHECK(http::eventually([&] { return times_logged(aggregator, "clock_in_doubt") > start; }));
    CHECK(aggregator.metric("hearsay_reports_stored") == 1);
    aggregator.restart();
  }
  aggregator.clock.advance(-std::chrono::hours(24 * 10));
  CHECK(aggregator.metric("hearsay_clock_in_doubt") == 0);
  CHECK(post(aggregator, task, report_of(task, kTaskStart)).status == 200);
  aggregator.daemon->stop();
  const auto names = names_of(lines_of(aggregator.log_lines.str()));
  CHECK(std::count(names.begin(), names.end(), "clock_in_doubt") >= 2);
  CHECK(std::count(names.begin(), names.end(), "expired") == 0);
}

TEST_CASE("the daemon trusts a new time that lasts, and seals windows by it") {
  TaskSpec spec = tests::small_task("b").spec();
  spec.report_expiry_age = tests::kDay;
  const Task task = Task::create(spec).value();
  // On a busy machine the daemon may trust the clock again before a report arrives. Then the test tries again with
  // twice the time.
  for (std::chrono::seconds settling(2);; settling *= 2) {
    REQUIRE(settling < tests::kPatience);
    Aggregator aggregator([&](daemon::DaemonConfig& config) {
      config.expiry_interval = std::chrono::seconds(1);
      config.clock_settling = settling;
    });
    aggregator.create(task);
    CHECK(post(aggregator, task, report_of(task, kTaskStart)).status == 200);
    const auto jumped = std::chrono::steady_clock::now();
    aggregator.clock.advance(std::chrono::hours(24 * 10));
    const std::string meanwhile = problem_name(post(aggregator, task, report_of(task, kTaskStart)));
    const bool in_time = std::chrono::steady_clock::now() - jumped < settling;
    if (in_time) CHECK(meanwhile == "clock_uncertain");
    CHECK(http::eventually([&] { return aggregator.metric("hearsay_reports_stored") == 0; }));
    CHECK(problem_name(post(aggregator, task, report_of(task, kTaskStart))) == "report_expired");
    if (in_time) break;
  }
}

TEST_CASE("the daemon notices and logs that its store directory was moved away") {
  for (const bool at_once : {false, true}) {
    const tests::TemporaryDirectory dir;
    Aggregator aggregator([&](daemon::DaemonConfig& config) { config.store = dir / "store"; });
    const Task task = tests::small_task("b");
    aggregator.create(task);
    std::filesystem::rename(dir / "store", dir / "moved");
    if (!at_once) {
      CHECK(http::eventually([&] { return aggregator.metric("hearsay_store_healthy") == 0; }));
      CHECK(readiness(aggregator, 503).at("reasons") == Json{"store_failed"});
    }
    CHECK(problem_name(post(aggregator, task, report_of(task, kTaskStart))) == "store_failed");
    aggregator.daemon->stop();
    const auto lines = lines_of(aggregator.log_lines.str());
    const auto names = names_of(lines);
    REQUIRE(std::count(names.begin(), names.end(), "store_failed") == 1);
    const auto failed = std::find(names.begin(), names.end(), "store_failed") - names.begin();
    const std::string reason = lines[static_cast<std::size_t>(failed)].at("reason");
    CHECK(reason.find("moved, removed or replaced") != std::string::npos);
  }
}

}  // namespace
}  // namespace hearsay::e2e
