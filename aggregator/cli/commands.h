// The subcommands of `hearsay`. Each adds itself to the application and runs when it is chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "aggregator/cli/remote.h"
#include "aggregator/cli/table.h"
#include "common/base/strict_json.h"
#include "hearsay/query.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"
#include "hearsay/task.h"

namespace hearsay::aggregator {

// What the chosen subcommand does; the value is the process's exit status.
using Action = std::function<Result<int>()>;

void add_token_command(CLI::App& app, Action& chosen);
void add_task_commands(CLI::App& app, Action& chosen);
void add_estimate_command(CLI::App& app, Action& chosen);
void add_design_command(CLI::App& app, Action& chosen);
void add_plan_command(CLI::App& app, Action& chosen);
void add_verify_command(CLI::App& app, Action& chosen);
void add_audit_command(CLI::App& app, Action& chosen);
void add_backup_command(CLI::App& app, Action& chosen);
void add_restore_command(CLI::App& app, Action& chosen);
void add_repair_command(CLI::App& app, Action& chosen);
void add_status_command(CLI::App& app, Action& chosen);

// Options that several commands share.
struct ServerFlags {
  Server server;
  std::string token_file;

  void add_to(CLI::App& command);
  // Reads the token from the file or, without one, from HEARSAY_TOKEN; never from an argument, which other users could
  // see.
  Result<Server> resolve() const;
};
void add_output_flag(CLI::App& command, OutputFormat& format);

Result<std::string> read_file(const std::string& path);  // "-": standard input
Result<Task> read_task(const std::string& path);
// The queries given as arguments, then those in the file, one a line; blank lines and lines that begin with # do not
// count.
Result<std::vector<std::string>> collect_queries(const std::vector<std::string>& arguments, const std::string& file);
// Errors: those of Query::parse; the message names the query.
Result<std::vector<Query>> parse_queries(const Schema& schema, const std::vector<std::string>& texts);
void print(const Table& table, const Json& json, OutputFormat format);

}  // namespace hearsay::aggregator
