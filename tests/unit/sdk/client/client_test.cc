#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "common/base/strict_json.h"
#include "hearsay/client.h"
#include "hearsay/ledger.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"
#include "tests/support/tasks.h"

namespace hearsay::sdk {
namespace {

using tests::answer;

struct Fixture {
  Task task = tests::small_task("b c3", "1");
  tests::ScriptedTransport transport;
  std::unique_ptr<Ledger> ledger = make_memory_ledger(Epsilon::parse("1").value());
  std::unique_ptr<Outbox> outbox = make_memory_outbox();
  tests::ManualClock clock{tests::kTaskStart + 3600};
  ClientOptions options{task.id(), Epsilon::parse("1").value(), std::nullopt, "", {3, {}, {}}};
  Record record = Record::create(task.schema(), {1, 0}).value();

  Result<Client> create() { return Client::create(options, {transport, *ledger, *outbox, clock}); }
};

ErrorCode code_of(const Result<Client>& client) { return client ? ErrorCode::kInternal : client.error().code; }

TEST_CASE_FIXTURE(Fixture, "fetches the task and reports once, and the same record again sends nothing") {
  transport.script = {answer(200, task.canonical_json()), answer(200)};
  auto client = create();
  REQUIRE(client);
  CHECK(client->task().id() == task.id());
  CHECK(transport.requests[0].path == "/v1/tasks/" + task.id().to_string());
  CHECK(client->submit(record));
  CHECK(client->submit(record));
  CHECK(transport.requests.size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "what is sent does not tell whether the record changed") {
  const Record other = Record::create(task.schema(), {0, 0}).value();
  for (const Record& second : {record, other}) {
    const bool same = second == record;
    CAPTURE(same);
    const auto rich = make_memory_ledger(Epsilon::parse("4").value());
    const auto pending = make_memory_outbox();
    tests::ScriptedTransport wire;
    // The first upload fails throughout, and with the second call it goes through.
    wire.script = {answer(503), answer(503), answer(503), answer(200)};
    auto client = Client::create(options, task, {wire, *rich, *pending, clock});
    REQUIRE(client);
    CHECK(!client->submit(record));
    const auto submitted = client->submit(second);
    CHECK(bool(submitted) == same);
    if (!same) CHECK(submitted.error().code == ErrorCode::kBudgetExhausted);
    REQUIRE(wire.requests.size() == 4);
    for (const auto& request : wire.requests) CHECK(request.body == wire.requests[0].body);
    CHECK(bool(client->submit(second)) == same);
    CHECK(wire.requests.size() == 4);
    CHECK(rich->debit(Epsilon::parse("3").value()));  // one report was paid
  }
}

TEST_CASE_FIXTURE(Fixture, "a report whose upload failed stays pending and leaves with the same bytes") {
  transport.script = {answer(200, task.canonical_json())};
  auto client = create();
  REQUIRE(client);
  CHECK(!client->submit(record));
  const auto first_bytes = transport.requests.at(1).body;
  transport.script = {answer(200)};
  CHECK(client->send_pending());
  CHECK(transport.requests.back().body == first_bytes);
  const auto requests = transport.requests.size();
  CHECK(client->send_pending());
  CHECK(transport.requests.size() == requests);
}

TransportResponse refused(unsigned status, const std::string& name, std::uint64_t now) {
  return answer(status, R"({"type": "urn:hearsay:error:)" + name + R"(", "now": )" + std::to_string(now) + "}");
}

TEST_CASE_FIXTURE(Fixture, "a report that is refused for good is given up, and none takes its place") {
  const auto rich = make_memory_ledger(Epsilon::parse("4").value());
  auto client = Client::create(options, task, {transport, *rich, *outbox, clock});
  REQUIRE(client);
  transport.script = {refused(410, "report_expired", tests::kTaskStart + tests::kDay * 400)};
  for (int i = 0; i < 3; ++i) {
    const auto submitted = client->submit(record);
    REQUIRE(!submitted);
    CHECK(submitted.error().code == ErrorCode::kServerRefused);
    CHECK(submitted.error().message.find("report_expired") != std::string::npos);
  }
  CHECK(!client->send_pending());
  CHECK(transport.requests.size() == 1);
  CHECK(outbox->pending().empty());
  CHECK(rich->debit(Epsilon::parse("3").value()));  // one report was paid
}

TEST_CASE_FIXTURE(
    Fixture, "the device's clock is a day ahead: the report waits in the outbox and leaves unchanged a day later") {
  clock.advance(std::chrono::hours(24));  // the server's is still at the first day
  auto client = Client::create(options, task, {transport, *ledger, *outbox, clock});
  REQUIRE(client);
  transport.script = {refused(400, "report_too_early", tests::kTaskStart + 3600)};
  CHECK(!client->submit(record));
  REQUIRE(outbox->pending().size() == 1);
  CHECK(outbox->pending().front() == transport.requests.at(0).body);
  transport.script = {answer(204)};
  CHECK(client->send_pending());
  CHECK(transport.requests.at(1).body == transport.requests.at(0).body);
  CHECK(outbox->pending().empty());
}

TEST_CASE_FIXTURE(Fixture,
                  "clocks a year off: outside the task's life nothing is made; inside, one report is dropped") {
  // Behind, before the task begins: nothing is made, nothing paid.
  tests::ManualClock behind(tests::kTaskStart - 365 * tests::kDay);
  auto early = Client::create(options, task, {transport, *ledger, *outbox, behind});
  REQUIRE(early);
  CHECK(early->submit(record).error().code == ErrorCode::kReportTooEarly);
  tests::ManualClock ahead(tests::kTaskStart + 365 * tests::kDay);
  auto late = Client::create(options, task, {transport, *ledger, *outbox, ahead});
  REQUIRE(late);
  CHECK(late->submit(record).error().code == ErrorCode::kTaskExpired);
  CHECK(transport.requests.empty());
  CHECK(outbox->pending().empty());

  // A task of two years, and a device that believes to be a year later.
  const Task lasting = tests::small_task("b c3", "1", 730);
  options.task = lasting.id();
  auto wrong = Client::create(options, lasting, {transport, *ledger, *outbox, ahead});
  REQUIRE(wrong);
  transport.script = {refused(400, "report_too_early", tests::kTaskStart + 3600)};
  CHECK(wrong->submit(record).error().code == ErrorCode::kServerRefused);
  CHECK(outbox->pending().empty());
  CHECK(!wrong->submit(record));
  CHECK(transport.requests.size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "does not agree to another task, a larger epsilon, another schema or nonsense") {
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

  // A title is for people to read: an app may expect the schema without it.
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

TEST_CASE_FIXTURE(Fixture, "trust on first use: the first id is pinned, another one is refused") {
  const auto file = std::filesystem::temp_directory_path() / "hearsay_client_test_pin";
  std::filesystem::remove(file);
  options.pin_file = file;
  CHECK(Client::create(options, task, {transport, *ledger, *outbox, clock}));
  CHECK(Client::create(options, task, {transport, *ledger, *outbox, clock}));
  const Task other = tests::small_task("b c4");
  options.task = other.id();
  CHECK(code_of(Client::create(options, other, {transport, *ledger, *outbox, clock})) == ErrorCode::kTaskMismatch);
  std::filesystem::remove(file);
  options.pin_file = "/nonexistent/pin";
  CHECK(code_of(Client::create(options, other, {transport, *ledger, *outbox, clock})) == ErrorCode::kIo);
}

TEST_CASE_FIXTURE(Fixture, "an expired task takes nothing and costs nothing") {
  clock.advance(std::chrono::hours(24 * 10));
  auto client = Client::create(options, task, {transport, *ledger, *outbox, clock});
  REQUIRE(client);
  const auto submitted = client->submit(record);
  REQUIRE(!submitted);
  CHECK(submitted.error().code == ErrorCode::kTaskExpired);
  CHECK(transport.requests.empty());
  CHECK(ledger->debit(Epsilon::parse("1").value()));
}

}  // namespace
}  // namespace hearsay::sdk
