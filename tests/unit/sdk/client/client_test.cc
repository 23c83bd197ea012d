#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include "common/channel/channel.h"
#include "common/report/report.h"
#include "hearsay/client.h"
#include "tests/support/fake_ledger.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"
#include "tests/support/tasks.h"

namespace hearsay::sdk {
namespace {

using tests::answer;

constexpr std::chrono::milliseconds kLong{10'000'000};

struct Fixture {
  Task task = tests::small_task("b c3", "1");
  tests::ScriptedTransport transport;
  tests::FakeLedger ledger;
  tests::ManualClock clock{tests::kTaskStart + 3600};
  ClientOptions options{task.id(), Epsilon::parse("1").value(), std::nullopt, "", {3, {}, {}}};
  Record record = Record::create(task.schema(), {1, 0}).value();

  Result<Client> create() { return Client::create(options, {transport, ledger, clock}); }
  Result<Client> create_with(const Task& known) { return Client::create(options, known, {transport, ledger, clock}); }
};

ErrorCode code_of(const Result<Client>& client) { return client ? ErrorCode::kInternal : client.error().code; }

TransportResponse refused(unsigned status, const std::string& name) {
  return answer(status, R"({"type": "urn:hearsay:error:)" + name + R"("})");
}

TEST_CASE_FIXTURE(Fixture, "the client fetches the task, submit() uses no network, and flush() sends the report once") {
  transport.script = {answer(200, task.canonical_json()), answer(204)};
  auto client = create();
  REQUIRE(client);
  CHECK(client->task().id() == task.id());
  CHECK(transport.requests[0].path == "/v1/tasks/" + task.id().to_string());
  CHECK(client->submit(record).value() == Payment::kReported);
  CHECK(transport.requests.size() == 1);
  const auto summary = client->flush(kLong);
  REQUIRE(summary);
  CHECK(summary->delivered == 1);
  CHECK(summary->pending == 0);
  CHECK(transport.requests[1].body == ledger.reports()[0].bytes);
  CHECK(client->submit(record).value() == Payment::kAlreadyReported);
  CHECK(client->flush(kLong)->delivered == 0);
  CHECK(transport.requests.size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "the report belongs to the task, and its time is the start of the window") {
  auto client = create_with(task);
  REQUIRE(client->submit(record));
  const ReportBytes bytes = ledger.reports()[0].bytes;
  std::span<const std::uint8_t> rest(bytes);
  const auto report = read_report(rest);
  REQUIRE(report);
  CHECK(rest.empty());
  CHECK(report->time == tests::kTaskStart);
  CHECK(task.channel().check(report->payload));
}

TEST_CASE_FIXTURE(Fixture, "a second submit() does not look at the record") {
  auto client = create_with(task);
  REQUIRE(client->submit(record));
  const Record foreign = Record::create(tests::schema_of("b c4 r5"), {1, 3, 3}).value();
  for (const Record& other : {record, Record::create(task.schema(), {0, 2}).value(), foreign}) {
    CHECK(client->submit(other).value() == Payment::kAlreadyReported);
  }
  CHECK(ledger.reports().size() == 1);
}

TEST_CASE_FIXTURE(
    Fixture,
    "if no report is made, nothing is paid: a record of another schema, a wrong time, a ledger that refuses or fails") {
  auto client = create_with(task);
  const Record foreign = Record::create(tests::schema_of("b c4 r5"), {1, 3, 3}).value();
  CHECK(client->submit(foreign).error().code == ErrorCode::kInvalidRecord);
  clock.set(tests::kTaskStart - 1);
  CHECK(client->submit(record).error().code == ErrorCode::kReportTooEarly);
  clock.set(task.end());
  CHECK(client->submit(record).error().code == ErrorCode::kTaskExpired);
  clock.set(tests::kTaskStart);
  ledger.failure = Error{ErrorCode::kBudgetExhausted, "spent"};
  CHECK(client->submit(record).error().code == ErrorCode::kBudgetExhausted);
  ledger.failure.reset();
  ledger.failure_after_draw = Error{ErrorCode::kIo, "disk"};
  CHECK(client->submit(record).error().code == ErrorCode::kIo);
  CHECK(ledger.reports().empty());
  CHECK(transport.requests.empty());
  ledger.failure_after_draw.reset();
  CHECK(client->submit(record).value() == Payment::kReported);
}

TEST_CASE_FIXTURE(Fixture, "after a failed upload a report leaves later, with the same bytes") {
  auto client = create_with(task);
  REQUIRE(client->submit(record));
  const auto failed = client->flush(kLong);
  REQUIRE(failed);
  CHECK(failed->pending == 1);
  CHECK(failed->problem->code == ErrorCode::kConnectionFailed);
  transport.script = {answer(204)};
  CHECK(client->flush(kLong)->delivered == 1);
  for (const auto& request : transport.requests) CHECK(request.body == transport.requests[0].body);
}

TEST_CASE_FIXTURE(Fixture, "after the aggregator has closed a task, the client makes no report for the task") {
  ledger.payable = true;
  auto client = create_with(task);
  REQUIRE(client->submit(record));
  transport.script = {refused(410, "task_closed")};
  CHECK(client->flush(kLong)->dropped == 1);
  const auto late = client->submit(record);
  REQUIRE(!late);
  CHECK(late.error().code == ErrorCode::kTaskExpired);
  CHECK(late.error().message.find("task_closed") != std::string::npos);
  CHECK(ledger.reports().size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "after kClockDiffers a flush asks for the time, even if no report waits") {
  auto client = create_with(task);
  ledger.failure = Error{ErrorCode::kClockDiffers, "a year off"};
  CHECK(client->submit(record).error().code == ErrorCode::kClockDiffers);
  auto dated = answer(200, task.canonical_json());
  dated.date = 1'700'010'000;
  transport.script = {dated};
  CHECK(client->flush(kLong));
  CHECK(ledger.server_times == std::vector<UnixSeconds>{1'700'010'000});
  CHECK(transport.requests.size() == 1);
  CHECK(client->flush(kLong));
  CHECK(transport.requests.size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "the date of the task's answer reaches the ledger") {
  auto dated = answer(200, task.canonical_json());
  dated.date = 1'700'010'000;
  transport.script = {dated};
  CHECK(create());
  CHECK(ledger.server_times == std::vector<UnixSeconds>{1'700'010'000});
  ledger.note_failure = Error{ErrorCode::kIo, "disk"};
  transport.script = {dated};
  CHECK(code_of(create()) == ErrorCode::kIo);
}

TEST_CASE_FIXTURE(Fixture, "report() submits and flushes, and asks for the time once if the clock is in doubt") {
  auto client = create_with(task);
  auto dated = answer(204);
  dated.date = 1'700'010'000;
  transport.script = {dated, dated};
  ledger.failure = Error{ErrorCode::kClockDiffers, "a year off"};
  transport.before_answer = [this](const ExchangeLimits&) { ledger.failure.reset(); };
  const auto reported = client->report(record, kLong);
  REQUIRE(reported);
  CHECK(reported->delivered == 1);
  CHECK(transport.requests.size() == 2);

  ledger.failure = Error{ErrorCode::kClockDiffers, "a year off"};
  transport.before_answer = {};
  CHECK(client->report(record, kLong).error().code == ErrorCode::kClockDiffers);
  ledger.failure.reset();
  CHECK(client->report(record, kLong)->delivered == 0);  // the person has reported already
}

TEST_CASE_FIXTURE(Fixture,
                  "opting out ends the flushes of all clients that share the ledger, and later flushes send nothing") {
  auto client = create_with(task);
  auto other = create_with(task);
  REQUIRE(client->submit(record));
  transport.script.assign(5, answer(503));
  transport.before_answer = [&](const ExchangeLimits&) { CHECK(other->opt_out()); };
  const auto summary = client->flush(kLong);
  REQUIRE(summary);
  CHECK(summary->problem->code == ErrorCode::kCancelled);
  CHECK(summary->pending == 0);
  CHECK(transport.requests.size() == 1);
  CHECK(client->flush(kLong)->pending == 0);
  CHECK(transport.requests.size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "a cancelled flush keeps its report, and the next flush sends it") {
  auto client = create_with(task);
  REQUIRE(client->submit(record));
  transport.script.assign(5, answer(204));
  SUBCASE("by cancel()") {
    transport.before_answer = [&](const ExchangeLimits&) { client->cancel(); };
    CHECK(client->flush(kLong)->problem->code == ErrorCode::kCancelled);
  }
  SUBCASE("by its cancellation, before the flush began") {
    Cancellation cancellation;
    cancellation.request();
    CHECK(client->flush(kLong, &cancellation)->problem->code == ErrorCode::kCancelled);
    CHECK(transport.requests.empty());
  }
  transport.before_answer = {};
  CHECK(ledger.count(ReportState::kPending) == 1);
  CHECK(client->flush(kLong)->delivered == 1);
}

TEST_CASE_FIXTURE(Fixture, "a forked child cannot use the client, and sends nothing") {
  auto client = create_with(task);
  REQUIRE(client->submit(record));
  ledger.payable = true;
  transport.script.assign(5, answer(204));
  const pid_t child = ::fork();
  if (child == 0) {
    const auto in_use = [](const auto& result) { return !result && result.error().code == ErrorCode::kInUse; };
    client->cancel();
    const bool all = in_use(client->submit(record)) && in_use(client->flush(kLong)) && in_use(client->opt_out()) &&
                     in_use(client->report(record, kLong)) && transport.requests.empty();
    ::_exit(all ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(client->flush(kLong)->delivered == 1);
}

TEST_CASE_FIXTURE(Fixture,
                  "the client refuses another task, a larger epsilon, another schema and malformed documents") {
  transport.script = {answer(200, tests::small_task("b c4").canonical_json())};
  CHECK(code_of(create()) == ErrorCode::kTaskMismatch);

  options.max_epsilon = Epsilon::parse("0.999999").value();
  transport.script = {answer(200, task.canonical_json())};
  CHECK(code_of(create()) == ErrorCode::kTaskMismatch);

  options.max_epsilon = task.epsilon();
  options.expected_schema = tests::schema_of("b c4");
  transport.script = {answer(200, task.canonical_json())};
  CHECK(code_of(create()) == ErrorCode::kTaskMismatch);

  options.expected_schema = task.schema();
  transport.script = {answer(200, task.canonical_json())};
  CHECK(create());

  // A title is only for people: an app may expect the schema without the title.
  std::vector<Attribute> titled(task.schema().attributes().begin(), task.schema().attributes().end());
  titled[0] = std::move(titled[0]).with_title("Do you smoke?").value();
  options.expected_schema = Schema::create(titled).value();
  transport.script = {answer(200, task.canonical_json())};
  CHECK(create());

  transport.script = {answer(200, "{")};
  CHECK(code_of(create()) == ErrorCode::kMalformedJson);
  transport.script = {answer(404)};
  CHECK(code_of(create()) == ErrorCode::kServerRefused);
}

}  // namespace
}  // namespace hearsay::sdk
