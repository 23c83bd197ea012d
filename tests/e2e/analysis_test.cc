// Tests long analyses: other calls do not wait for them, and they end early for several reasons.
#include <doctest/doctest.h>
#include <poll.h>

#include <deque>

#include "common/base/strict_json.h"
#include "common/random/bit_source.h"
#include "common/report/randomize.h"
#include "tests/e2e/aggregator.h"
#include "tests/support/patience.h"

namespace hearsay::e2e {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr std::uint32_t kBooleans = 16;

Task wide_task() {
  std::string shape = "b";
  for (std::uint32_t i = 1; i < kBooleans; ++i) shape += " b";
  return tests::small_task(shape);
}

// Returns the easy query a0, followed by hard queries. To answer a hard query, the estimator enumerates 2^16 possible
// records, which takes about 20 ms in optimised code. The queries differ, because a request computes equal queries
// once.
std::string hard_queries(std::size_t count) {
  const auto literal = [](std::size_t query, std::uint32_t i) {
    return ((query >> i) % 2 == 0 ? "a" : "not a") + std::to_string(i);
  };
  Json queries{"a0"};
  for (std::size_t q = 0; q < count; ++q) {
    std::string query = literal(q, 0) + " and " + literal(q, 1);
    for (std::uint32_t i = 2; i < kBooleans; i += 2) query += " or " + literal(q, i) + " and " + literal(q, i + 1);
    queries.push_back(std::move(query));
  }
  return Json{{"queries", std::move(queries)}}.dump();
}
constexpr std::size_t kForLong = 999;  // number of hard queries that take many seconds together

// A request whose answer the test has not read. With TLS 1.2 the server sends no bytes after the handshake but the
// answer.
class InFlight {
 public:
  InFlight(const Aggregator& aggregator, const Task& task, std::string_view token, const std::string& body)
      : client_(aggregator.daemon->port(), http::TestClient::Tls::kOnly12) {
    REQUIRE(client_.ready());
    REQUIRE(client_.send("POST " + path_of(task, "/estimates") +
                         " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + std::string(token) +
                         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                         "\r\n\r\n" + body));
  }
  bool answered() {
    pollfd socket{client_.fd(), POLLIN, 0};
    return poll(&socket, 1, 0) > 0;
  }
  Reply read() {
    const auto reply = client_.read();
    REQUIRE(reply);
    return *reply;
  }

 private:
  http::TestClient client_;
};

bool at_work(const Aggregator& aggregator, double count) {
  return http::eventually([&] { return aggregator.metric("hearsay_analyses_at_work") == count; });
}
// Waits until the metrics show that the analysis runs, or until its answer is there. Returns true if the analysis runs.
bool at_work_or_answered(const Aggregator& aggregator, InFlight& request) {
  REQUIRE(http::eventually([&] { return aggregator.metric("hearsay_analyses_at_work") == 1 || request.answered(); }));
  return !request.answered();
}
bool waiting(const Aggregator& aggregator, double count) {
  return http::eventually([&] { return aggregator.metric("hearsay_analyses_waiting") == count; });
}

void post_report(const Aggregator& aggregator, const Task& task) {
  const auto record = Record::create(task.schema(), std::vector<std::uint32_t>(kBooleans, 1)).value();
  const Report report = randomize(task, record, tests::kTaskStart, system_bit_source()).value();
  CHECK(post(aggregator, task, report).status == 200);
}

TEST_CASE("status, tasks, tallies and reports do not wait for analyses, and an analysis ends when its client goes") {
  const Aggregator aggregator;
  const Task task = wide_task();
  const Task other = tests::small_task("b");
  aggregator.create(task);
  {
    InFlight first(aggregator, task, kAnalystToken, hard_queries(kForLong));
    InFlight second(aggregator, task, kAdminToken, hard_queries(kForLong));
    InFlight third(aggregator, task, kAnalystToken, hard_queries(kForLong));
    REQUIRE(at_work(aggregator, 2));
    REQUIRE(waiting(aggregator, 1));
    const Reply status = aggregator.call("GET", "/v1/status", "", kAdminToken);
    CHECK(parse_json(status.body)->at("analyses") == Json{{"at_work", 2}, {"waiting", 1}});
    aggregator.create(other);
    post_report(aggregator, task);
    CHECK(aggregator.call("GET", path_of(task, "/tally"), "", kAnalystToken).status == 200);
    CHECK(aggregator.call("GET", "/v1/tasks", "", kAdminToken).status == 200);
    CHECK(aggregator.call("POST", path_of(task, "/close"), "", kAdminToken).status == 200);
    CHECK(aggregator.call("DELETE", path_of(other), "", kAdminToken).status == 204);
    CHECK(!first.answered());
    CHECK(!second.answered());
    CHECK(!third.answered());
  }
  CHECK(at_work(aggregator, 0));
  CHECK(waiting(aggregator, 0));
}

TEST_CASE("a stopping daemon does not wait for analyses, and says so to their clients") {
  Aggregator aggregator([](daemon::DaemonConfig& config) { config.drain = 2 * tests::kPatience; });
  const Task task = wide_task();
  aggregator.create(task);
  InFlight working(aggregator, task, kAnalystToken, hard_queries(kForLong));
  REQUIRE(at_work(aggregator, 1));
  InFlight queued(aggregator, task, kAnalystToken, hard_queries(kForLong));
  REQUIRE(waiting(aggregator, 1));
  const auto begun = steady_clock::now();
  aggregator.daemon->stop();
  aggregator.daemon.reset();
  CHECK(steady_clock::now() - begun < tests::kPatience);
  for (InFlight* request : {&working, &queued}) {
    const Reply reply = request->read();
    CHECK(reply.status == 503);
    CHECK(problem_name(reply) == "overloaded");
  }
}

TEST_CASE("an analysis ends at its time limit, even if the clock goes back") {
  // On a busy machine, the analysis may not begin within a second. Then the test tries again with twice the time.
  for (seconds limit(1);; limit *= 2) {
    REQUIRE(limit < tests::kPatience);
    Aggregator aggregator([&](daemon::DaemonConfig& config) { config.analysis_timeout = limit; });
    const Task task = wide_task();
    aggregator.create(task);
    post_report(aggregator, task);
    InFlight request(aggregator, task, kAnalystToken, hard_queries(kForLong));
    const bool seen = at_work_or_answered(aggregator, request);
    aggregator.clock.advance(-std::chrono::hours(24));
    const Reply reply = request.read();
    CHECK(reply.status == 200);
    const Json estimates = parse_json(reply.body)->at("estimates");
    REQUIRE(estimates.size() == kForLong + 1);
    CHECK(estimates.back().at("error").at("type") == "urn:hearsay:error:overloaded");
    if (seen && estimates.front().contains("value")) break;
  }
}

TEST_CASE("a clock that jumps ahead does not end an analysis") {
  Aggregator aggregator;
  const Task task = wide_task();
  aggregator.create(task);
  post_report(aggregator, task);
  // On a fast machine, the analysis may end before the metrics show the analysis. Then the test tries again with twice
  // the number of queries.
  for (std::size_t count = 2;; count *= 2) {
    REQUIRE(count <= kForLong);
    InFlight request(aggregator, task, kAnalystToken, hard_queries(count));
    const bool seen = at_work_or_answered(aggregator, request);
    aggregator.clock.advance(std::chrono::hours(24));
    const Json answer = parse_json(request.read().body).value();
    for (const Json& estimate : answer.at("estimates")) CHECK(estimate.contains("value"));
    if (seen) break;
  }
}

TEST_CASE("if the queue of analyses is full, an analyst gets 503, and other calls succeed") {
  const Aggregator aggregator;
  const Task task = wide_task();
  aggregator.create(task);
  {
    const std::string body = hard_queries(kForLong);
    std::deque<InFlight> requests;
    requests.emplace_back(aggregator, task, kAnalystToken, body);
    REQUIRE(at_work(aggregator, 1));
    for (int i = 0; i < 16; ++i) requests.emplace_back(aggregator, task, kAnalystToken, body);
    REQUIRE(waiting(aggregator, 16));
    const Reply refused = aggregator.call("POST", path_of(task, "/estimates"), R"({"queries": ["a0"]})", kAnalystToken);
    CHECK(refused.status == 503);
    CHECK(problem_name(refused) == "overloaded");
    CHECK(!refused.field("retry-after").empty());
    CHECK(aggregator.metric("hearsay_analyses_refused_total") == 1);
    CHECK(aggregator.metric("hearsay_analyses_waiting_bytes") == 16 * static_cast<double>(body.size()));
    CHECK(aggregator.call("POST", path_of(task, "/estimates"), R"({"queries": ["a0"]})", kAdminToken).status == 200);
    CHECK(aggregator.call("GET", path_of(task, "/tally"), "", kAnalystToken).status == 200);
  }
  CHECK(at_work(aggregator, 0));
  CHECK(waiting(aggregator, 0));
}

TEST_CASE("the daemon refuses an analysis whose body is too large, and single queries that need too much memory") {
  const Aggregator aggregator([](daemon::DaemonConfig& config) { config.max_analysis_bytes = 1 << 20; });
  const Task task = wide_task();
  aggregator.create(task);
  post_report(aggregator, task);
  // With max_analysis_bytes = 2^20, a body may have at most 2^20 / 160 = 6,553 bytes.
  const Reply large = aggregator.call("POST", path_of(task, "/estimates"), std::string(6554, ' '), kAnalystToken);
  CHECK(large.status == 413);
  CHECK(problem_name(large) == "body_too_large");
  const Json queries{{"queries", std::vector<std::string>(200, "a0")}};
  const Reply many = aggregator.call("POST", path_of(task, "/estimates"), queries.dump(), kAnalystToken);
  CHECK(many.status == 200);
  const Json estimates = parse_json(many.body)->at("estimates");
  CHECK(estimates.front().contains("value"));
  CHECK(estimates.back().at("error").at("type") == "urn:hearsay:error:limit_exceeded");
}

}  // namespace
}  // namespace hearsay::e2e
