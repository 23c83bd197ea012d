#include "examples/simulation/simulation.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/https/handles.h"
#include "examples/simulation/person_ledger.h"
#include "examples/simulation/progress.h"
#include "hearsay/client.h"
#include "hearsay/clock.h"

namespace hearsay::examples {
namespace {

// Returns the options by which the people's devices reach the aggregator. The devices send the administrator's token,
// so they may also report to an aggregator that asks for a token with each report.
Result<sdk::ServerOptions> server_of_clients(const cli::Server& server) {
  const https::Url url(curl_url());
  char* host = nullptr;
  char* port = nullptr;
  sdk::ServerOptions options;
  const bool found = url && curl_url_set(url.get(), CURLUPART_URL, server.url.c_str(), 0) == CURLUE_OK &&
                     curl_url_get(url.get(), CURLUPART_HOST, &host, 0) == CURLUE_OK &&
                     curl_url_get(url.get(), CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK;
  if (found) {
    options.host = host;
    options.port = static_cast<std::uint16_t>(std::stoul(port));  // libcurl has checked the number
  }
  curl_free(host);
  curl_free(port);
  if (!found) return Error{ErrorCode::kInvalidArgument, "--server '" + server.url + "' is not like https://host:port"};
  if (options.host.front() == '[') options.host = options.host.substr(1, options.host.size() - 2);
  options.ca_file = server.ca_file;
  options.upload_token = server.token;
  options.client_certificate = server.certificate;
  options.client_key = server.private_key.empty() ? server.certificate : server.private_key;
  return options;
}

class Crowd {
 public:
  Crowd(const Task& task, std::span<const Record> records, const SimulationOptions& options, sdk::ServerOptions server)
      : task_(task), records_(records), own_connections_(options.own_connections), server_(std::move(server)) {}

  // Lets one person after the other report, until all people have reported or a report failed.
  void work() {
    const auto shared = sdk::make_https_transport(server_);
    if (!shared) return fail(shared.error());
    for (std::size_t person = next_++; person < records_.size() && !failed_; person = next_++) {
      const auto reported = person < own_connections_ ? report_alone(person) : report(person, **shared);
      if (!reported) return fail(reported.error());
      ++done_;
    }
  }

  std::size_t done() const { return done_; }
  bool failed() const { return failed_; }
  Result<void> outcome() const {
    if (error_) return *error_;
    return {};
  }

 private:
  Result<void> report_alone(std::size_t person) {
    HEARSAY_TRY(const auto transport, sdk::make_https_transport(server_));
    return report(person, *transport);
  }

  Result<void> report(std::size_t person, sdk::Transport& transport) {
    constexpr std::chrono::hours kLongest{1};
    PersonLedger ledger;
    const sdk::ClientOptions options{task_.id(), task_.epsilon(), task_.schema(), "", {}};
    HEARSAY_TRY(sdk::Client client, sdk::Client::create(options, task_, {transport, ledger, *clock_}));
    HEARSAY_TRY(const sdk::FlushSummary sent, client.report(records_[person], kLongest));
    if (sent.delivered != 1) return *sent.problem;
    return {};
  }

  void fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    failed_ = true;
  }

  const Task& task_;
  std::span<const Record> records_;
  const std::size_t own_connections_;
  const sdk::ServerOptions server_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::optional<Error> error_;
};

Result<double> simulate(const Task& task, std::span<const Record> records, const SimulationOptions& options) {
  HEARSAY_TRY(sdk::ServerOptions server, server_of_clients(options.server));
  Crowd crowd(task, records, options, std::move(server));
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < options.connections; ++i) threads.emplace_back([&crowd] { crowd.work(); });
    Progress progress("reports", records.size());
    while (crowd.done() < records.size() && !crowd.failed()) {
      progress.show(crowd.done());
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    progress.finish(crowd.done());
  }
  HEARSAY_CHECK_OK(crowd.outcome());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Result<double> rehearse(const Task& task, std::span<const Record> records, const SimulationOptions& options) {
  const std::string path = "/v1/tasks/" + task.id().to_string();
  HEARSAY_CHECK_OK(cli::call(options.server, "POST", "/v1/tasks", task.canonical_json()));
  const auto seconds = simulate(task, records, options);
  const auto closed = cli::call(options.server, "POST", path + "/close", "");
  if (seconds && !closed) return closed.error();
  return seconds;
}

Result<Json> ask(const cli::Server& server, const TaskId& task, const Json& request) {
  HEARSAY_TRY(const std::string answer,
              cli::call(server, "POST", "/v1/tasks/" + task.to_string() + "/estimates", request.dump()));
  return parse_json(answer);
}

}  // namespace hearsay::examples
