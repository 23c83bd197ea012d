// A whole population reporting to a real aggregator over TLS.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "aggregator/cli/remote.h"
#include "common/base/json.h"
#include "hearsay/options.h"
#include "hearsay/record.h"
#include "hearsay/task.h"

namespace hearsay::examples {

struct SimulationOptions {
  std::string host = "localhost";
  std::uint16_t port = 8443;
  std::string ca_file;
  std::string admin_token;
  unsigned connections = 32;            // kept open, shared by clients one after the other
  std::size_t own_connections = 1'000;  // so many clients open a connection of their own, with its own TLS handshake
};

// The aggregator as its administrator and analyst sees it.
cli::Server server_of(const SimulationOptions& options);

// Errors: those of the call.
Result<TaskId> create_task(const SimulationOptions& options, const Task& task);

// One client object with its own ledger for every record; each randomizes its record once and uploads the report. Shows
// its progress on standard error: a bar on a terminal, plain lines elsewhere. Returns the seconds taken. Errors: the
// first one that a client met.
Result<double> simulate(const Task& task, std::span<const Record> records, const SimulationOptions& options);

// The API's answer to the request, aggregator/docs/api.md.
Result<Json> ask(const SimulationOptions& options, const TaskId& task, const Json& request);

// A task for a population that reports now: one window of a day, starting today. Its arrangement and channel are the
// defaults.
TaskSpec spec_for_today(const std::string& name, const Schema& schema, const Epsilon& epsilon);

}  // namespace hearsay::examples
