#include "examples/simulation/simulation.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "examples/simulation/progress.h"
#include "hearsay/client.h"
#include "hearsay/clock.h"
#include "hearsay/ledger.h"

namespace hearsay::examples {
namespace {

// What the threads of one simulation share.
class Crowd {
 public:
  Crowd(const Task& task, std::span<const Record> records, const SimulationOptions& options)
      : task_(task), records_(records), options_(options) {}

  // Takes one person after the other until all have reported or somebody failed.
  void work() {
    const auto shared = connect();
    if (!shared) return fail(shared.error());
    for (std::size_t person = next_++; person < records_.size() && !failed_; person = next_++) {
      const auto reported = person < options_.own_connections ? report_alone(person) : report(person, **shared);
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
  Result<std::unique_ptr<sdk::Transport>> connect() const {
    sdk::ServerOptions server;
    server.host = options_.host;
    server.port = options_.port;
    server.ca_file = options_.ca_file;
    return sdk::make_https_transport(server);
  }

  Result<void> report_alone(std::size_t person) {
    HEARSAY_TRY(const auto transport, connect());
    return report(person, *transport);
  }

  Result<void> report(std::size_t person, sdk::Transport& transport) {
    const auto ledger = sdk::make_memory_ledger(task_.epsilon());
    const auto outbox = sdk::make_memory_outbox();
    const sdk::ClientOptions options{task_.id(), task_.epsilon(), task_.schema(), "", {}};
    HEARSAY_TRY(sdk::Client client, sdk::Client::create(options, task_, {transport, *ledger, *outbox, *clock_}));
    return client.submit(records_[person]);
  }

  void fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    failed_ = true;
  }

  const Task& task_;
  std::span<const Record> records_;
  const SimulationOptions& options_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace

cli::Server server_of(const SimulationOptions& options) {
  return {"https://" + options.host + ":" + std::to_string(options.port), options.ca_file, options.admin_token};
}

Result<TaskId> create_task(const SimulationOptions& options, const Task& task) {
  HEARSAY_TRY(const std::string answer, cli::call(server_of(options), "POST", "/v1/tasks", task.canonical_json()));
  return task.id();
}

Result<double> simulate(const Task& task, std::span<const Record> records, const SimulationOptions& options) {
  Crowd crowd(task, records, options);
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

Result<Json> ask(const SimulationOptions& options, const TaskId& task, const Json& request) {
  HEARSAY_TRY(const std::string answer,
              cli::call(server_of(options), "POST", "/v1/tasks/" + task.to_string() + "/estimates", request.dump()));
  return parse_json(answer);
}

TaskSpec spec_for_today(const std::string& name, const Schema& schema, const Epsilon& epsilon) {
  constexpr UnixSeconds kDay = 86'400;
  const UnixSeconds today = make_system_clock()->now() / kDay * kDay;
  return {name, schema, LiteralsSpec{}, LaplaceSpec{}, epsilon, today, 2 * kDay, kDay, 1};
}

}  // namespace hearsay::examples
