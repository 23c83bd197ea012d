#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "common/base/strict_json.h"
#include "common/random/bit_source.h"
#include "common/report/randomize.h"
#include "tests/e2e/aggregator.h"

namespace hearsay::e2e {
namespace {

using http::TestClient;

std::string reports_of(const Task& task, UnixSeconds time, int count) {
  const Record record = Record::create(task.schema(), {1, 0}).value();
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < count; ++i) append_report(randomize(task, record, time, system_bit_source()).value(), bytes);
  return {bytes.begin(), bytes.end()};
}

TEST_CASE("32 connections that announce 8 MiB and send nothing do not delay the bodies of others") {
  Aggregator aggregator;
  const Task task = tests::small_task("b b");
  aggregator.create(task);
  std::vector<TestClient> silent;
  for (int i = 0; i < 32; ++i) {
    silent.emplace_back(aggregator.daemon->port(), TestClient::Tls::kAny);
    REQUIRE(silent.back().send("POST " + path_of(task, "/reports") + " HTTP/1.1\r\nHost: a\r\nContent-Type: " +
                               std::string(kCbor) + "\r\nContent-Length: 8388608\r\n\r\n"));
  }
  const std::string batch = reports_of(task, aggregator.clock.now(), 300);
  REQUIRE(batch.size() > 5'000);
  const Reply uploaded = aggregator.call("POST", path_of(task, "/reports"), batch, "", kCbor);
  CHECK(uploaded.status == 200);
  CHECK(parse_json(uploaded.body)->at("outcomes") == "300a");
  const std::string blanks(5'000, ' ');
  CHECK(aggregator.call("POST", path_of(task, "/estimates"), R"({"queries": ["a0"]})" + blanks, kAnalystToken).status ==
        200);
  const Task another = tests::small_task("b b b");
  CHECK(aggregator.call("POST", "/v1/tasks", another.canonical_json() + blanks, kAdminToken).status == 201);
  CHECK(http::eventually([&] { return aggregator.metric("hearsay_buffered_bytes{direction=\"in\"}") == 0; }));
  CHECK(parse_json(aggregator.ask("GET", "/readyz").body)->at("warnings").empty());
}

TEST_CASE("the answer to many rejected reports is short") {
  Aggregator aggregator;
  const Task task = tests::small_task("b b");
  aggregator.create(task);
  const std::string early = reports_of(task, tests::kTaskStart + 5 * tests::kDay, 1);
  std::string batch;
  for (int i = 0; i < 16'384; ++i) batch += early;
  const Reply reply = aggregator.call("POST", path_of(task, "/reports"), batch, "", kCbor);
  CHECK(reply.status == 422);
  CHECK(reply.body.size() < 1'000);
  CHECK(parse_json(reply.body)->at("outcomes") == "16384A");
}

TEST_CASE(
    "when clients without tokens hold all memory that they may, /readyz warns and answers 200, and calls with tokens "
    "succeed") {
  Aggregator aggregator([](daemon::DaemonConfig& config) {
    config.max_body_bytes = 1U << 20U;
    config.max_buffered_bytes = 4U << 20U;
    config.max_buffered_bytes_per_address = 3U << 20U;
  });
  const Task task = tests::small_task("b b");
  aggregator.create(task);
  std::vector<TestClient> greedy;
  for (int i = 0; i < 3; ++i) {
    greedy.emplace_back(aggregator.daemon->port(), TestClient::Tls::kAny);
    REQUIRE(greedy.back().send("POST " + path_of(task, "/reports") +
                               " HTTP/1.1\r\nHost: a\r\nContent-Type: x/y\r\nContent-Length: 1048576\r\n\r\n" +
                               std::string((1U << 20U) - 1, 'x')));
  }
  REQUIRE(http::eventually([&] { return aggregator.metric("hearsay_memory_pressure") > 0.99; }));
  const Reply ready = aggregator.ask("GET", "/readyz");
  CHECK(ready.status == 200);
  CHECK(parse_json(ready.body)->at("warnings") == Json{"memory_nearly_full"});
  const std::string batch = reports_of(task, aggregator.clock.now(), 300);
  const Reply refused = aggregator.call("POST", path_of(task, "/reports"), batch, "", kCbor);
  CHECK(refused.status == 503);
  CHECK(problem_name(refused) == "overloaded");
  CHECK(aggregator.call("POST", path_of(task, "/reports"), reports_of(task, aggregator.clock.now(), 3), "", kCbor)
            .status == 200);
  CHECK(
      aggregator
          .call("POST", path_of(task, "/estimates"), R"({"queries": ["a0"]})" + std::string(5'000, ' '), kAnalystToken)
          .status == 200);
}

}  // namespace
}  // namespace hearsay::e2e
