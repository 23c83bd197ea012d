#include "tests/e2e/aggregator.h"

#include <doctest/doctest.h>

#include <sstream>

#include "common/base/problem_type.h"
#include "hearsay/ledger.h"
#include "tests/support/patience.h"

namespace hearsay::e2e {
Digest digest_of(std::string_view token) {
  return sha256().digest({reinterpret_cast<const std::uint8_t*>(token.data()), token.size()});
}

Json patient_limits() {
  Json limits;
  for (const char* key :
       {"handshake_timeout_seconds", "first_byte_timeout_seconds", "header_timeout_seconds", "body_timeout_seconds",
        "idle_timeout_seconds", "write_timeout_seconds", "analysis_timeout_seconds"}) {
    limits[key] = 2 * tests::kPatience.count();
  }
  return limits;
}

namespace {

Reply send_and_read(http::TestClient& client, const std::string& request) {
  REQUIRE(client.ready());
  REQUIRE(client.send(request));
  const auto reply = client.read();
  REQUIRE(reply);
  return *reply;
}

}  // namespace

std::string problem_name(const Reply& reply) {
  const auto problem = parse_json(reply.body);
  if (!problem || !problem->is_object()) return "";
  return std::string(hearsay::problem_name(problem->value("type", "")));
}

Aggregator::Aggregator(std::function<void(daemon::DaemonConfig&)> adjust) : adjust_(std::move(adjust)) { restart(); }

void Aggregator::restart() {
  daemon.reset();
  daemon::DaemonConfig config = daemon::parse_config(patient_limits().dump()).value();
  config.store = store_.path();
  config.certificate = certificate.files().certificate;
  config.private_key = certificate.files().private_key;
  config.listen = {"127.0.0.1", 0};
  config.operator_listen = {"127.0.0.1", 0};
  config.threads = 2;
  config.tokens = {{api::Role::kAdmin, digest_of(kAdminToken)},
                   {api::Role::kAnalyst, digest_of(kAnalystToken)},
                   {api::Role::kUploader, digest_of(kUploaderToken)}};
  config.min_free_bytes = 0;
  config.clock_settling = std::chrono::seconds(0);  // the tests' clock moves only in jumps
  if (adjust_) adjust_(config);
  auto started = daemon::Daemon::start(config, clock, &log_);
  REQUIRE_MESSAGE(started, (started ? std::string() : started.error().message));
  daemon = *std::move(started);
}

Reply Aggregator::call(std::string_view method, std::string_view path, std::string_view body, std::string_view token,
                       std::string_view content_type) const {
  std::ostringstream request;
  request << method << ' ' << path << " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
  if (!token.empty()) request << "Authorization: Bearer " << token << "\r\n";
  if (!content_type.empty()) request << "Content-Type: " << content_type << "\r\n";
  request << "Content-Length: " << body.size() << "\r\n\r\n" << body;
  http::TestClient client(daemon->port(), http::TestClient::Tls::kAny);
  return send_and_read(client, request.str());
}

Reply Aggregator::ask(std::string_view method, std::string_view path, std::string_view body) const {
  std::ostringstream request;
  request << method << ' ' << path << " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " << body.size() << "\r\n\r\n"
          << body;
  http::TestClient client(daemon->operator_port());
  return send_and_read(client, request.str());
}

void Aggregator::create(const Task& task) const {
  const Reply reply = call("POST", "/v1/tasks", task.canonical_json(), kAdminToken);
  REQUIRE(reply.status == 201);
}

std::string Aggregator::tally(const Task& task) const {
  const Reply reply = call("GET", path_of(task, "/tally"), "", kAnalystToken);
  REQUIRE(reply.status == 200);
  return reply.body;
}

double Aggregator::metric(std::string_view series) const {
  std::istringstream lines(ask("GET", "/metrics").body);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(std::string(series) + " ")) return std::stod(line.substr(series.size() + 1));
  }
  return 0;
}

std::unique_ptr<sdk::Transport> Aggregator::transport() const {
  sdk::ServerOptions server;
  server.host = "localhost";
  server.port = daemon->port();
  server.ca_file = certificate.files().certificate;
  server.timeout = tests::kPatience;
  return sdk::make_https_transport(server).value();
}

void report_each(Aggregator& aggregator, const Task& task, const std::vector<Record>& records, std::size_t people) {
  const auto transport = aggregator.transport();
  for (std::size_t i = 0; i < people; ++i) {
    const auto ledger = sdk::Ledger::in_memory({}).value();
    const sdk::ClientOptions options{task.id(), task.epsilon(), task.schema(), "", {}};
    auto client = sdk::Client::create(options, task, {*transport, *ledger, aggregator.clock});
    REQUIRE(client);
    const auto sent = client->report(records[i % records.size()], tests::kPatience);
    REQUIRE(sent);
    REQUIRE(sent->delivered == 1);
  }
}

Reply post(const Aggregator& aggregator, const Task& task, const Report& report) {
  std::vector<std::uint8_t> bytes;
  append_report(report, bytes);
  return aggregator.call("POST", path_of(task, "/reports"), {reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                         "", kCbor);
}

}  // namespace hearsay::e2e
