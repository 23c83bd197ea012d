// Tests the way from records to answers. The test keeps every request's body, and computes the answers from these
// bodies.
#include <doctest/doctest.h>

#include "aggregator/api/answers.h"
#include "aggregator/compiler/compile.h"
#include "aggregator/tally/tally.h"
#include "common/arrangement/arrangement.h"
#include "common/base/strict_json.h"
#include "hearsay/ledger.h"
#include "tests/e2e/aggregator.h"
#include "tests/support/patience.h"
#include "tests/support/questions.h"
#include "tests/support/tally_json.h"

namespace hearsay::e2e {
namespace {

// A transport that keeps the bodies that it posts, and loses the first `lost` answers.
class RecordingTransport final : public sdk::Transport {
 public:
  explicit RecordingTransport(std::unique_ptr<sdk::Transport> inner, int lost = 0)
      : inner_(std::move(inner)), lost_(lost) {}

  Result<sdk::TransportResponse> get(std::string_view path, const sdk::ExchangeLimits& limits) override {
    return inner_->get(path, limits);
  }
  Result<sdk::TransportResponse> post(std::string_view path, std::string_view content_type,
                                      std::span<const std::uint8_t> body, const sdk::ExchangeLimits& limits) override {
    bodies.emplace_back(body.begin(), body.end());
    auto answer = inner_->post(path, content_type, body, limits);
    if (lost_-- > 0) return Error{ErrorCode::kConnectionFailed, "the answer is lost"};
    return answer;
  }

  std::vector<std::vector<std::uint8_t>> bodies;

 private:
  std::unique_ptr<sdk::Transport> inner_;
  int lost_;
};

// Reports the record with a client of its own.
void report(Aggregator& aggregator, const Task& task, const Record& record, sdk::Transport& transport) {
  const auto ledger = sdk::Ledger::in_memory({}).value();
  const sdk::ClientOptions options{task.id(), task.epsilon(), task.schema(), "", {}};
  auto client = sdk::Client::create(options, {transport, *ledger, aggregator.clock});
  REQUIRE(client);
  const auto sent = client->report(record, tests::kPatience);
  REQUIRE(sent);
  REQUIRE(sent->delivered == 1);
}

tally::Tally tally_of(const Task& task, const std::vector<std::vector<std::uint8_t>>& bodies) {
  tally::Tally tally = tally::Tally::empty(task.channel());
  for (const auto& body : bodies) {
    std::span<const std::uint8_t> rest(body);
    const auto read = read_report(rest);
    REQUIRE(read);
    REQUIRE(tally.add(task.channel(), read->payload));
  }
  return tally;
}

// Checks that the daemon's answers are those of the estimator from this tally.
void check_answers(const Aggregator& aggregator, const Task& task, const tally::Tally& tally,
                   const std::string& queries) {
  const std::string request = R"({"queries": )" + queries + R"(, "confidence": 0.9})";
  const Reply reply = aggregator.call("POST", path_of(task, "/estimates"), request, kAnalystToken);
  REQUIRE(reply.status == 200);
  const Json answers = parse_json(reply.body).value();
  CHECK(answers.at("reports") == tally.reports());
  CHECK(answers.at("epsilon") == task.epsilon().to_string());
  for (Json answer : answers.at("estimates")) {
    const auto query = Query::parse(task.schema(), answer.at("query").get<std::string>());
    compiler::Work work;
    const auto compiled = compiler::compile(task, *query, work);
    REQUIRE(compiled);
    const auto estimate = estimator::estimate(task, compiled->linear, tally, 0.9);
    REQUIRE(estimate);
    // An average-case answer has the χ² test of its assumption under the key `fit`. This test does not check its value.
    CHECK(answer.contains("fit") == (estimate->guarantee == compiler::Guarantee::kAverageCase));
    answer.erase("fit");
    answer["warnings"] = estimate->warnings;
    CHECK(answer == api::estimate_json(answer.at("query"), api::Answer{*estimate, {}, {}}));
  }
}

TEST_CASE("the tally is the exact sum of the reports sent, and the answers are the estimator's, also after a restart") {
  for (const auto calibration : {LaplaceCalibration::kTight, LaplaceCalibration::kPaper}) {
    Aggregator aggregator;
    const Task task = tests::small_task("b c3 r4", "1", 10, calibration);
    aggregator.create(task);
    RecordingTransport transport(aggregator.transport());
    for (const Record& record : tests::all_records(task.schema())) report(aggregator, task, record, transport);

    const tally::Tally expected = tally_of(task, transport.bodies);
    CHECK(expected.reports() == 24);
    const Json exported = tests::tally_json(task.id(), {{tests::kTaskStart, expected}});
    CHECK(aggregator.tally(task) == exported.dump());

    check_answers(aggregator, task, expected, R"(["a0", "a0 and a2 >= 0", "a1 = v0"])");

    aggregator.restart();
    CHECK(aggregator.tally(task) == exported.dump());
  }
}

// The task asks about a range by half-circles, about a categorical attribute by its values, and about a boolean
// directly. A report answers about one attribute or about two.
TEST_CASE("the daemon also counts reports that answer other questions than parities, and estimates from them") {
  Aggregator aggregator;
  const Task task =
      Task::create({.title = "questions",
                    .schema = tests::schema_of("b r6 c5"),
                    .arrangement = CharactersSpec{2},
                    .channel = SampledSpec{.groups = {{GroupKind::kSingle, 1, 1, {0, 1}},
                                                      {GroupKind::kSingle, 2, 2, {0, 1}},
                                                      {GroupKind::kRaw, 2, 3, {1, 2}}},
                                           .questions = {QuestionSpec(), tests::circle(12, 1, {1, 3, 5}, {4, 2, 1}),
                                                         tests::parities(3)}},
                    .epsilon = Epsilon::parse("3").value(),
                    .task_start = tests::kTaskStart,
                    .task_duration = tests::kDay,
                    .time_precision = tests::kDay,
                    .min_batch_size = 1})
          .value();
  aggregator.create(task);
  RecordingTransport transport(aggregator.transport());
  for (const Record& record : tests::all_records(task.schema())) report(aggregator, task, record, transport);
  const tally::Tally expected = tally_of(task, transport.bodies);
  CHECK(expected.reports() == 60);
  const std::string exported = tests::tally_json(task.id(), {{tests::kTaskStart, expected}}).dump();
  CHECK(aggregator.tally(task) == exported);
  const std::string queries = R"(["a0", "a1 >= 0", "a0 and a1 >= 0", "a2 = v3", "a1 < 2 and a2 in {v0, v4}"])";
  check_answers(aggregator, task, expected, queries);
  aggregator.restart();
  CHECK(aggregator.tally(task) == exported);
  check_answers(aggregator, task, expected, queries);
}

TEST_CASE("a report whose answers are lost is counted once") {
  Aggregator aggregator;
  const Task task = tests::small_task("b");
  aggregator.create(task);
  RecordingTransport transport(aggregator.transport(), 3);
  report(aggregator, task, Record::create(task.schema(), {1}).value(), transport);

  REQUIRE(transport.bodies.size() == 4);
  for (const auto& body : transport.bodies) CHECK(body == transport.bodies.front());
  CHECK(aggregator.tally(task) ==
        tests::tally_json(task.id(), {{tests::kTaskStart, tally_of(task, {transport.bodies.front()})}}).dump());
  const std::string label = "{task=\"" + task.id().to_string() + "\"}";
  CHECK(aggregator.metric("hearsay_reports_accepted_total" + label) == 1);
  CHECK(aggregator.metric("hearsay_reports_replayed_total" + label) == 3);
}

TEST_CASE("a client does not talk to a server whose certificate it cannot verify") {
  Aggregator aggregator;
  const Task task = tests::small_task("b");
  aggregator.create(task);
  sdk::ServerOptions server;
  server.timeout = tests::kPatience;
  server.port = aggregator.daemon->port();
  const auto ledger = sdk::Ledger::in_memory({}).value();
  const sdk::ClientOptions options{task.id(), task.epsilon(), std::nullopt, "", {2, {}, {}}};

  const auto code_for = [&](const std::string& host, const std::string& ca_file) {
    server.host = host;
    server.ca_file = ca_file;
    const auto transport = sdk::make_https_transport(server).value();
    const auto client = sdk::Client::create(options, {*transport, *ledger, aggregator.clock});
    return client ? ErrorCode::kInternal : client.error().code;  // kInternal: the client talked to the server
  };
  const http::TestCertificate other(2);
  CHECK(code_for("localhost", "") == ErrorCode::kTlsFailed);
  CHECK(code_for("localhost", other.files().certificate) == ErrorCode::kTlsFailed);
  // The client trusts the right authority, but the certificate is for localhost.
  CHECK(code_for("127.0.0.1", aggregator.certificate.files().certificate) == ErrorCode::kTlsFailed);
  CHECK(code_for("localhost", aggregator.certificate.files().certificate) == ErrorCode::kInternal);
}

}  // namespace
}  // namespace hearsay::e2e
