// Tests who may call what, and a task's life from creation to deletion.
#include <doctest/doctest.h>

#include "common/base/strict_json.h"
#include "common/random/bit_source.h"
#include "common/report/randomize.h"
#include "hearsay/ledger.h"
#include "tests/e2e/aggregator.h"
#include "tests/support/patience.h"

namespace hearsay::e2e {
namespace {

std::string encoded(const Task& task, UnixSeconds now) {
  const auto report = randomize(task, Record::create(task.schema(), {1}).value(), now, system_bit_source());
  REQUIRE(report);
  std::vector<std::uint8_t> bytes;
  append_report(*report, bytes);
  return {bytes.begin(), bytes.end()};
}

TEST_CASE("each call needs its role") {
  const Aggregator aggregator;
  const Task task = tests::small_task("b");
  aggregator.create(task);
  struct Case {
    const char* method;
    std::string path;
    const char* body;
    bool analyst_may;
  };
  const std::vector<Case> cases{
      {"GET", "/v1/tasks", "", true},
      {"POST", "/v1/tasks", "{}", false},
      {"GET", "/v1/status", "", false},
      {"POST", "/v1/backups", "", false},
      {"POST", path_of(task, "/close"), "", false},
      {"DELETE", path_of(task), "", false},
      {"GET", path_of(task, "/tally"), "", true},
      {"POST", path_of(task, "/estimates"), R"({"queries": ["a0"]})", true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.method);
    CAPTURE(c.path);
    const Reply anonymous = aggregator.call(c.method, c.path, c.body);
    CHECK(anonymous.status == 401);
    CHECK(problem_name(anonymous) == "unauthorized");
    CHECK(anonymous.field("www-authenticate") == "Bearer");
    CHECK(aggregator.call(c.method, c.path, c.body, "a guess").status == 401);
    CHECK((aggregator.call(c.method, c.path, c.body, kAnalystToken).status == 403) == !c.analyst_may);
    CHECK(aggregator.call(c.method, c.path, c.body, kUploaderToken).status == 403);
  }
  const Reply shown = aggregator.call("GET", path_of(task));
  CHECK(shown.status == 200);
  CHECK(shown.body == task.canonical_json());
  CHECK(aggregator.call("GET", path_of(task, "/tally"), "", kAdminToken).status == 200);
}

TEST_CASE("new tokens are valid at once, also on connections that are open") {
  const Aggregator aggregator;
  http::TestClient client(aggregator.daemon->port(), http::TestClient::Tls::kAny);
  const auto status_with = [&](std::string_view token) {
    REQUIRE(
        client.send("GET /v1/status HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + std::string(token) + "\r\n\r\n"));
    const auto reply = client.read();
    REQUIRE(reply);
    return reply->status;
  };
  CHECK(status_with(kAdminToken) == 200);
  CHECK(status_with("new") == 401);
  aggregator.daemon->replace_tokens({{api::Role::kAdmin, digest_of("new")}}, api::Uploads::kToken);
  CHECK(status_with(kAdminToken) == 401);
  CHECK(status_with("new") == 200);
  const Task task = tests::small_task("b");
  CHECK(aggregator.call("POST", "/v1/tasks", task.canonical_json(), "new").status == 201);
  CHECK(aggregator.call("POST", path_of(task, "/reports"), "", "", kCbor).status == 401);
}

TEST_CASE("if an uploader's token names a task, only this task needs such a token with each report") {
  const Task guarded = tests::small_task("b");
  const Task open = tests::small_task("b b");
  const Aggregator aggregator([&](daemon::DaemonConfig& config) {
    config.tokens.push_back({api::Role::kUploader, digest_of("relay of one task"), guarded.id()});
  });
  aggregator.create(guarded);
  aggregator.create(open);
  const auto status = [&](const Task& task, std::string_view token) {
    // The daemon refuses a wrong token before it reads the body, so the malformed body has no effect.
    return aggregator.call("POST", path_of(task, "/reports"), "\xff", token, kCbor).status;
  };
  CHECK(status(guarded, "") == 401);
  CHECK(status(guarded, "a guess") == 401);
  CHECK(status(guarded, kAnalystToken) == 403);
  CHECK(status(guarded, "relay of one task") == 400);  // the token is right, but the body is malformed
  CHECK(status(guarded, kUploaderToken) == 400);
  CHECK(status(guarded, kAdminToken) == 400);
  CHECK(status(open, "") == 400);
  CHECK(status(open, "relay of one task") == 400);
  CHECK(aggregator
            .call("POST", path_of(guarded, "/reports"), encoded(guarded, tests::kTaskStart), "relay of one task", kCbor)
            .status == 200);
  CHECK(aggregator.tally(guarded).find("\"reports\":1") != std::string::npos);
}

TEST_CASE("a task that closes while a body is on its way takes no report of this body") {
  const Aggregator aggregator;
  const Task task = tests::small_task("b");
  aggregator.create(task);
  const std::string report = encoded(task, tests::kTaskStart);
  http::TestClient client(aggregator.daemon->port(), http::TestClient::Tls::kAny);
  REQUIRE(client.send("POST " + path_of(task, "/reports") +
                      " HTTP/1.1\r\nHost: a\r\nContent-Type: " + std::string(kCbor) +
                      "\r\nExpect: 100-continue\r\nContent-Length: " + std::to_string(report.size()) + "\r\n\r\n"));
  const auto go_on = client.read();
  REQUIRE(go_on);
  REQUIRE(go_on->status == 100);  // 100: the daemon has accepted the head of the request
  CHECK(aggregator.call("POST", path_of(task, "/close"), "", kAdminToken).status == 200);
  REQUIRE(client.send(report));
  const auto refused = client.read();
  REQUIRE(refused);
  CHECK(refused->status == 410);
  CHECK(problem_name(*refused) == "task_closed");
}

TEST_CASE("if uploads need a token, the SDK sends it") {
  Aggregator aggregator([](daemon::DaemonConfig& config) { config.uploads = api::Uploads::kToken; });
  const Task task = tests::small_task("b");
  aggregator.create(task);
  CHECK(aggregator.call("POST", path_of(task, "/reports"), "", "", kCbor).status == 401);
  sdk::ServerOptions server;
  server.timeout = tests::kPatience;
  server.host = "localhost";
  server.port = aggregator.daemon->port();
  server.ca_file = aggregator.certificate.files().certificate;
  const auto submitted = [&](const std::string& token) {
    server.upload_token = token;
    const auto transport = sdk::make_https_transport(server).value();
    const auto ledger = sdk::Ledger::in_memory({}).value();
    auto client = sdk::Client::create({task.id(), task.epsilon(), {}, "", {}}, {*transport, *ledger, aggregator.clock});
    REQUIRE(client);
    const auto summary = client->report(Record::create(task.schema(), {1}).value(), tests::kPatience);
    REQUIRE(summary);
    const bool sent = summary->delivered == 1;
    CHECK(summary->pending == (sent ? 0 : 1));  // a refused report waits in the outbox
    return sent;
  };
  CHECK(!submitted(""));
  CHECK(!submitted(std::string(kAnalystToken)));
  CHECK(submitted(std::string(kUploaderToken)));
  server.upload_token = "two\r\nlines";
  CHECK(sdk::make_https_transport(server).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE(
    "if clients need a certificate, the daemon refuses clients without a certificate or with one of another "
    "authority") {
  bool needed = false;
  Aggregator aggregator([&](daemon::DaemonConfig& config) {
    if (needed) config.client_ca = config.certificate;  // the certificate is self-signed, and so its own authority
  });
  const Task task = tests::small_task("b");
  aggregator.create(task);
  needed = true;
  aggregator.restart();
  sdk::ServerOptions server;
  server.timeout = tests::kPatience;
  server.host = "localhost";
  server.port = aggregator.daemon->port();
  server.ca_file = aggregator.certificate.files().certificate;
  const auto gets_in = [&] {
    return bool(sdk::make_https_transport(server).value()->get(path_of(task), {tests::kPatience}));
  };
  CHECK(!gets_in());
  const http::TestCertificate stranger(2);
  server.client_certificate = stranger.files().certificate;
  server.client_key = stranger.files().private_key;
  CHECK(!gets_in());
  server.client_certificate = aggregator.certificate.files().certificate;
  server.client_key = aggregator.certificate.files().private_key;
  CHECK(gets_in());
  server.client_key = "/nonexistent";
  CHECK(sdk::make_https_transport(server).error().code == ErrorCode::kIo);
  CHECK(sdk::make_https_transport(server).error().message.find("/nonexistent") != std::string::npos);
  server.client_key = "";
  CHECK(sdk::make_https_transport(server).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("a task is created once, closed for good, and deleted with its tally") {
  const Aggregator aggregator;
  const Task task = tests::small_task("b");
  const Reply created = aggregator.call("POST", "/v1/tasks", task.canonical_json(), kAdminToken);
  CHECK(created.status == 201);
  CHECK(created.field("location") == path_of(task));
  CHECK(aggregator.call("POST", "/v1/tasks", task.canonical_json(), kAdminToken).status == 200);

  const std::string body = encoded(task, tests::kTaskStart);
  CHECK(aggregator.call("POST", path_of(task, "/reports"), body, "", kCbor).status == 200);
  const Reply closed = aggregator.call("POST", path_of(task, "/close"), "", kAdminToken);
  CHECK(closed.status == 200);
  CHECK(aggregator.call("POST", path_of(task, "/close"), "", kAdminToken).body == closed.body);
  const Reply refused = aggregator.call("POST", path_of(task, "/reports"), encoded(task, tests::kTaskStart), "", kCbor);
  CHECK(refused.status == 410);
  CHECK(problem_name(refused) == "task_closed");
  CHECK(aggregator.tally(task).find("\"reports\":1") != std::string::npos);

  CHECK(aggregator.call("DELETE", path_of(task), "", kAdminToken).status == 204);
  CHECK(problem_name(aggregator.call("GET", path_of(task))) == "unrecognizedTask");
  CHECK(problem_name(aggregator.call("POST", path_of(task, "/reports"), body, "", kCbor)) == "unrecognizedTask");
  // The same task, created again, has no reports.
  aggregator.create(task);
  CHECK(aggregator.tally(task).find("\"reports\"") == std::string::npos);
}

TEST_CASE(
    "the aggregator refuses a new task that can take no report, accepts an existing task, and warns of unlikely "
    "times") {
  Aggregator aggregator;
  const Task task = tests::small_task("b");
  const auto create = [&](const TaskSpec& spec) {
    return aggregator.call("POST", "/v1/tasks", Task::create(spec)->canonical_json(), kAdminToken);
  };
  const Reply created = create(task.spec());
  CHECK(created.status == 201);
  CHECK(parse_json(created.body)->at("warnings").empty());
  TaskSpec spec = task.spec();
  spec.task_start *= 1000;
  const Reply milliseconds = create(spec);
  CHECK(milliseconds.status == 422);
  CHECK(problem_name(milliseconds) == "invalid_task");
  CHECK(milliseconds.body.find("looks like milliseconds") != std::string::npos);
  spec = task.spec();
  spec.task_duration *= 1000;
  const Reply unlikely = create(spec);
  CHECK(unlikely.status == 201);
  CHECK(parse_json(unlikely.body)->at("warnings") ==
        Json::array({"task_duration is 864000000 seconds, 27 years: were milliseconds meant?"}));

  aggregator.clock.advance(std::chrono::hours(24 * 10));
  CHECK(create(task.spec()).status == 200);  // 200 and not 201: the task exists
  spec = task.spec();
  spec.title = "another";
  const Reply over = create(spec);
  CHECK(problem_name(over) == "invalid_task");
  CHECK(over.body.find("the task is over") != std::string::npos);
  // The tally's export refuses the same ranges.
  const auto tally = [&](const std::string& range) {
    return aggregator.call("GET", path_of(task, "/tally?" + range), "", kAnalystToken);
  };
  CHECK(tally("from=5&to=6").status == 400);
  CHECK(tally("from=1700092800&to=1700006400").body.find("must be before `to`") != std::string::npos);
  CHECK(tally("from=1700006400000").body.find("looks like milliseconds") != std::string::npos);
  CHECK(tally("from=0&to=1700092800").status == 200);
  CHECK(tally("from=7").status == 400);
  CHECK(tally("from=1700006401").body.find("is not a multiple of the task's time_precision") != std::string::npos);
}

TEST_CASE("the aggregator refuses reports ahead of the clock and reports after the task's end, each with its reason") {
  Aggregator aggregator;
  const Task task = tests::small_task("b", "1", 2);
  aggregator.create(task);
  const auto answer_to = [&](UnixSeconds reported_at) {
    return aggregator.call("POST", path_of(task, "/reports"), encoded(task, reported_at), "", kCbor);
  };
  CHECK(answer_to(tests::kTaskStart + 5).status == 200);
  // The report's time lies a day ahead of the daemon's clock.
  const Reply early = answer_to(tests::kTaskStart + tests::kDay);
  CHECK(problem_name(early) == "report_too_early");
  CHECK(parse_json(early.body)->at("now") == aggregator.clock.now());
  aggregator.clock.advance(std::chrono::hours(24));
  CHECK(answer_to(tests::kTaskStart + tests::kDay).status == 200);
  CHECK(answer_to(tests::kTaskStart).status == 200);
  aggregator.clock.advance(std::chrono::hours(48));
  CHECK(problem_name(answer_to(tests::kTaskStart + tests::kDay)) == "task_expired");

  const Json tally = parse_json(aggregator.tally(task)).value();
  REQUIRE(tally.at("windows").size() == 2);
  CHECK(tally.at("windows")[0].at("reports") == 2);
  CHECK(tally.at("windows")[1].at("reports") == 1);
}

TEST_CASE("a wrong path, method or id gets a problem document of its own") {
  const Aggregator aggregator;
  const Task task = tests::small_task("b");
  CHECK(problem_name(aggregator.call("GET", "/")) == "not_found");
  CHECK(problem_name(aggregator.call("GET", "/v1/tasks/")) == "not_found");
  CHECK(problem_name(aggregator.call("GET", "/v1/tasks/short")) == "unrecognizedTask");
  CHECK(problem_name(aggregator.call("GET", path_of(task))) == "unrecognizedTask");
  const Reply wrong_method = aggregator.call("PUT", path_of(task), "x");
  CHECK(wrong_method.status == 405);
  CHECK(wrong_method.field("allow") == "GET, DELETE");
  CHECK(aggregator.call("GET", path_of(task, "/reports")).status == 405);
}

TEST_CASE("the aggregator refuses unknown query parameters by name, and bodies of another media type") {
  const Aggregator aggregator;
  const Task task = tests::small_task("b");
  aggregator.create(task);
  const Reply mistyped = aggregator.call("GET", path_of(task, "/tally?fromat=csv"), "", kAnalystToken);
  CHECK(mistyped.status == 400);
  CHECK(problem_name(mistyped) == "unknown_key");
  CHECK(mistyped.body.find("'fromat'") != std::string::npos);
  CHECK(aggregator.call("GET", path_of(task, "/tally?format=csv"), "", kAnalystToken).field("content-type") ==
        "text/csv");
  CHECK(aggregator.call("GET", path_of(task, "?a=b")).status == 400);
  const std::string report = encoded(task, tests::kTaskStart);
  CHECK(aggregator.call("POST", path_of(task, "/reports?a=b"), report, "", kCbor).status == 400);
  // A caller without a token learns nothing about parameters.
  CHECK(aggregator.call("GET", path_of(task, "/tally?fromat=csv")).status == 401);
  const Reply text = aggregator.call("POST", "/v1/tasks", task.canonical_json(), kAdminToken, "text/plain");
  CHECK(text.status == 415);
  CHECK(problem_name(text) == "unsupported_media_type");
}

}  // namespace
}  // namespace hearsay::e2e
