// Tests the SDK, with its ledger on disk, against a real aggregator.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "hearsay/background_flush.h"
#include "hearsay/client.h"
#include "tests/e2e/aggregator.h"
#include "tests/support/patience.h"

namespace hearsay::e2e {
namespace {

using tests::kPatience;

// Removes the header Date from answers. The header has the machine's time, but the clock of these tests stands in
// another year.
class UndatedTransport final : public sdk::Transport {
 public:
  explicit UndatedTransport(std::unique_ptr<sdk::Transport> inner) : inner_(std::move(inner)) {}

  Result<sdk::TransportResponse> get(std::string_view path, const sdk::ExchangeLimits& limits) override {
    return undated(inner_->get(path, limits));
  }
  Result<sdk::TransportResponse> post(std::string_view path, std::string_view content_type,
                                      std::span<const std::uint8_t> body, const sdk::ExchangeLimits& limits) override {
    return undated(inner_->post(path, content_type, body, limits));
  }

 private:
  static Result<sdk::TransportResponse> undated(Result<sdk::TransportResponse> answer) {
    if (answer) answer->date.reset();
    return answer;
  }
  std::unique_ptr<sdk::Transport> inner_;
};

struct Device {
  Aggregator aggregator;
  Task task = tests::small_task("b", "1", 400);
  tests::TemporaryDirectory directory;
  sdk::LedgerOptions ledger_options{.file = directory / "ledger", .policy = {std::chrono::hours(24), {}}};
  Record record = Record::create(task.schema(), {1}).value();

  Device() { aggregator.create(task); }

  std::unique_ptr<sdk::Ledger> ledger() { return sdk::Ledger::open(ledger_options).value(); }
  sdk::Client client(sdk::Transport& transport, sdk::Ledger& ledger) {
    return sdk::Client::create({task.id(), task.epsilon()}, task, {transport, ledger, aggregator.clock}).value();
  }
  std::uint64_t counted() const {
    std::uint64_t reports = 0;
    const Json tally = parse_json(aggregator.tally(task)).value();
    for (const Json& window : tally.at("windows")) reports += window.at("reports").get<std::uint64_t>();
    return reports;
  }
};

TEST_CASE_FIXTURE(Device,
                  "reports wait on disk, leave together after a restart, are counted once and appear in answers") {
  const auto transport = aggregator.transport();
  for (int day = 0; day < 3; ++day) {
    const auto kept = ledger();
    sdk::Client app = client(*transport, *kept);
    CHECK(app.submit(record).value() == sdk::Payment::kReported);
    CHECK(app.submit(record).value() == sdk::Payment::kAlreadyReported);
    aggregator.clock.advance(std::chrono::hours(24));
  }
  CHECK(counted() == 0);
  const auto kept = ledger();
  sdk::Client app = client(*transport, *kept);
  const auto sent = app.flush(kPatience);
  REQUIRE(sent);
  CHECK(sent->delivered == 3);
  CHECK(sent->pending == 0);
  CHECK(counted() == 3);
  CHECK(aggregator.metric("hearsay_commits_total") >= 1);
  CHECK(app.flush(kPatience)->delivered == 0);
  CHECK(kept->outbox().log(10)->size() == 3);
  const Reply answer = aggregator.call("POST", path_of(task, "/estimates"), R"({"queries": ["a0"]})", kAnalystToken);
  CHECK(answer.status == 200);
  CHECK(parse_json(answer.body).value().at("reports") == 3);
}

TEST_CASE_FIXTURE(Device, "after a task is closed, waiting reports are dropped and no more are made") {
  const auto transport = aggregator.transport();
  const auto kept = ledger();
  sdk::Client app = client(*transport, *kept);
  REQUIRE(app.submit(record));
  aggregator.clock.advance(std::chrono::hours(24));
  REQUIRE(app.submit(record));
  REQUIRE(aggregator.call("POST", path_of(task, "/close"), "", kAdminToken).status < 300);
  const auto sent = app.flush(kPatience);
  REQUIRE(sent);
  CHECK(sent->dropped == 2);
  CHECK(sent->pending == 0);
  aggregator.clock.advance(std::chrono::hours(24));
  CHECK(app.submit(record).error().code == ErrorCode::kTaskExpired);
  const auto log = kept->outbox().log(10).value();
  CHECK(log.size() == 2);
  for (const auto& report : log) {
    CHECK(report.state == sdk::ReportState::kDropped);
    CHECK(report.reason.find("task_closed") != std::string::npos);
  }
}

TEST_CASE_FIXTURE(Device, "threads report and a background flush uploads: every report is counted once") {
  ledger_options.policy.period = std::chrono::seconds(1);
  UndatedTransport transport(aggregator.transport());
  const auto kept = ledger();
  sdk::Client app = client(transport, *kept);
  const auto background = sdk::BackgroundFlush::start(app, {.deadline = kPatience}).value();
  std::atomic<int> made{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 3; ++j) {
          aggregator.clock.advance(std::chrono::seconds(1));
          const auto paid = app.submit(record);
          if (paid && *paid == sdk::Payment::kReported) ++made;
          background->wake();
        }
      });
    }
  }
  background->stop();
  CHECK(app.flush(kPatience)->pending == 0);
  CHECK(made >= 1);
  CHECK(counted() == static_cast<std::uint64_t>(made.load()));
}

TEST_CASE_FIXTURE(Device, "a clock that differs from the server's stops reports") {
  const auto transport = aggregator.transport();
  const auto kept = ledger();
  sdk::Client app = client(*transport, *kept);
  CHECK(app.report(record, kPatience)->delivered == 1);  // the answer's Date is years ahead
  aggregator.clock.advance(std::chrono::hours(24));
  CHECK(app.submit(record).error().code == ErrorCode::kClockDiffers);
  CHECK(app.flush(kPatience));
  CHECK(app.submit(record).error().code == ErrorCode::kClockDiffers);
  CHECK(counted() == 1);
}

TEST_CASE_FIXTURE(Device, "a forked child cannot send its parent's reports: the client refuses") {
  const auto transport = aggregator.transport();
  const auto kept = ledger();
  sdk::Client app = client(*transport, *kept);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto paid = app.submit(record);
    const auto opened =
        kept->pay(task, aggregator.clock.now(), []() -> Result<sdk::ReportBytes> { return sdk::ReportBytes{1}; });
    const bool refused =
        !paid && paid.error().code == ErrorCode::kInUse && !opened && opened.error().code == ErrorCode::kInUse;
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(app.report(record, kPatience)->delivered == 1);
  CHECK(counted() == 1);
}

}  // namespace
}  // namespace hearsay::e2e
