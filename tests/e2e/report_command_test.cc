// Tests hearsay-report against a running aggregator, as a script runs it.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "hearsay/clock.h"
#include "tests/e2e/aggregator.h"
#include "tests/e2e/process.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_directory.h"

namespace hearsay::e2e {
namespace {

TEST_CASE("hearsay-report reports once, keeps reports that it cannot send, shows the log, and obeys an opt-out") {
  Aggregator aggregator;
  aggregator.clock.set(make_system_clock()->now() + 3600);  // ahead: a report made after midnight is not too early
  TaskSpec spec = tests::small_task("b").spec();
  spec.task_start = make_system_clock()->now() / tests::kDay * tests::kDay;
  const Task task = Task::create(std::move(spec)).value();
  aggregator.create(task);
  const tests::TemporaryDirectory directory;
  std::ofstream(directory / "task.json") << task.canonical_json();
  const std::string record = R"({"a0": true})";
  const auto call = [&](const std::string& ledger, std::vector<std::string> arguments, std::uint16_t port = 0) {
    const std::vector<std::string> common{"--host",   "localhost",
                                          "--port",   std::to_string(port == 0 ? aggregator.daemon->port() : port),
                                          "--ca",     aggregator.certificate.files().certificate,
                                          "--ledger", directory / ledger};
    arguments.insert(arguments.begin(), common.begin(), common.end());
    return run(kHearsayReport, arguments);
  };
  const std::string id = task.id().to_string();
  const auto counted = [&] {
    return parse_json(aggregator.call("GET", "/v1/tasks", "", kAdminToken).body)
        .value()
        .at("tasks")
        .at(0)
        .at("reports");
  };

  const Output first = call("ledger", {id, record});
  CAPTURE(first.text);
  CHECK(first.status == 0);
  CHECK(first.text == "reported\n");
  CHECK(call("ledger", {id, record}).text == "already reported\n");
  CHECK(call("ledger", {id, "no record"}).text == "already reported\n");
  CHECK(counted() == 1);

  // The port is closed, so the report waits. The same command sends the report later.
  const Output waits = call("other", {"--timeout", "1", directory / "task.json", record}, 1);
  CHECK(waits.status == 1);
  CHECK(waits.contains("waits: "));
  const Output log = call("other", {"--log"});
  CHECK(log.contains("waits to be sent"));
  CHECK(log.contains("\"small task\""));
  const Output later = call("other", {directory / "task.json", record});
  CHECK(later.status == 0);
  CHECK(later.text == "reported\n");
  CHECK(counted() == 2);
  CHECK(call("other", {"--log"}).contains("the aggregator has had it since"));

  for (const char* verb : {"--log", "--opt-out", "--opt-in"}) CHECK(call("third", {verb}).status == 2);
  CHECK_FALSE(std::filesystem::exists(directory / "third"));
  const Output bad = call("third", {id, R"({"a0": 1})"});
  CHECK(bad.status == 2);
  CHECK(bad.contains("invalid_record"));
  std::ofstream(directory / "companion.json")
      << R"({"version": 1, "attributes": [{"attribute": "a0", "column": "Smoker?",
      "kind": "texts", "texts": {"yes": ["Y"], "no": ["N"]}}]})";
  const auto raw = [&](const std::string& text) {
    return call("raw", {"--companion", directory / "companion.json", id, R"({"Smoker?": ")" + text + "\"}"});
  };
  const Output unreadable = raw("secret");
  CHECK(unreadable.status == 2);
  CHECK(unreadable.contains("attribute a0: column \"Smoker?\" must be"));
  CHECK_FALSE(unreadable.contains("secret"));
  CHECK(raw("Y").text == "reported\n");
  CHECK(counted() == 3);
  CHECK(call("raw2", {"--companion", directory / "nothing.json", id, "{}"}).contains("cannot be read"));

  CHECK(call("third", {"--opt-out"}).status == 0);
  const Output refused = call("third", {id, record});
  CHECK(refused.status == 2);
  CHECK(refused.contains("opted_out"));
  CHECK(call("third", {"--opt-in"}).status == 0);
  REQUIRE(aggregator.call("POST", path_of(task, "/close"), "", kAdminToken).status < 300);
  const Output closed = call("third", {id, record});
  CHECK(closed.status == 3);
  CHECK(closed.contains("task_closed"));

  CHECK(call("fourth", {"--max-epsilon", "0.5", id, record}).contains("exceeds the app's maximum"));
  CHECK(call("fourth", {"nothing", record}).contains("neither a file"));
  CHECK(call("fourth", {directory / ".", record}).contains("cannot be read"));
  CHECK(run(kHearsayReport, {}).status == 2);
  CHECK(run(kHearsayReport, {"--help"}).contains("usage: hearsay-report"));
  CHECK(run(kHearsayReport, {"--version"}).status == 0);
}

TEST_CASE("hearsay-report sends waiting reports even if the new record is not of the task's schema") {
  Aggregator aggregator;
  const UnixSeconds now = make_system_clock()->now();
  aggregator.clock.set(now + 3600);  // ahead: a report made after midnight is not too early
  TaskSpec spec = tests::small_task("b").spec();
  spec.task_start = now / tests::kDay * tests::kDay;
  const Task task = Task::create(std::move(spec)).value();
  aggregator.create(task);
  const tests::TemporaryDirectory directory;
  std::ofstream(directory / "task.json") << task.canonical_json();
  const auto call = [&](const std::string& record, std::uint16_t port) {
    return run(kHearsayReport, {"--host", "localhost", "--port", std::to_string(port), "--ca",
                                aggregator.certificate.files().certificate, "--ledger", directory / "ledger",
                                "--period", "1s", "--timeout", "5", directory / "task.json", record});
  };
  REQUIRE(call(R"({"a0": true})", 1).status == 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  const Output bad = call(R"({"a0": 1})", aggregator.daemon->port());
  CAPTURE(bad.text);
  CHECK(bad.status == 2);
  const Output log = run(kHearsayReport, {"--ledger", directory / "ledger", "--log"});
  CHECK(log.contains("the aggregator has had it since"));
}

}  // namespace
}  // namespace hearsay::e2e
