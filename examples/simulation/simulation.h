// Lets a whole population report to a real aggregator over TLS.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "aggregator/cli/rehearsal_task.h"
#include "aggregator/cli/remote.h"
#include "common/base/json.h"
#include "hearsay/record.h"
#include "hearsay/task.h"

namespace hearsay::examples {

struct SimulationOptions {
  cli::Server server;                   // with an administrator's token
  unsigned connections = 32;            // connections that stay open; clients use each one after the other
  std::size_t own_connections = 1'000;  // clients that open their own connection, with its own TLS handshake
};

// Creates the task on the aggregator, lets one person report each record, and closes the task. Each person has a client
// object and a ledger. The client randomizes the record once and uploads the report. Shows the progress on standard
// error. Returns the seconds that the reports took. Errors: those of the calls, and the first error of a client.
Result<double> rehearse(const Task& task, std::span<const Record> records, const SimulationOptions& options);

// Sends a request of the API (aggregator/docs/api.md) and returns the answer.
Result<Json> ask(const cli::Server& server, const TaskId& task, const Json& request);

}  // namespace hearsay::examples
