// The subcommands of `hearsay`. Each adds itself to the application and runs when it is chosen.
#pragma once

#include <string>

#include "aggregator/cli/remote.h"
#include "aggregator/console/program.h"
#include "aggregator/store/location/location.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace CLI {
class App;
}

namespace hearsay::cli {

void add_token_command(CLI::App& app, console::Action& chosen);
void add_task_commands(CLI::App& app, console::Action& chosen);
void add_sign_command(CLI::App& task, console::Action& chosen);  // a subcommand of `hearsay task`
void add_estimate_command(CLI::App& app, console::Action& chosen);
void add_design_command(CLI::App& app, console::Action& chosen);
void add_plan_command(CLI::App& app, console::Action& chosen);
void add_bounds_command(CLI::App& app, console::Action& chosen);
void add_verify_command(CLI::App& app, console::Action& chosen);
void add_audit_command(CLI::App& app, console::Action& chosen);
void add_backup_command(CLI::App& app, console::Action& chosen);
void add_restore_command(CLI::App& app, console::Action& chosen);
void add_repair_command(CLI::App& app, console::Action& chosen);
void add_status_command(CLI::App& app, console::Action& chosen);
void add_store_commands(CLI::App& app, console::Action& chosen);
void add_map_commands(CLI::App& app, console::Action& chosen);  // of `store`

// Options that several commands share.
struct ServerFlags {
  Server server;
  std::string token_file;

  void add_to(CLI::App& command);
  // Reads the token from the file or, without one, from HEARSAY_TOKEN; never from an argument, which other users could
  // see. Errors: those of console::read_file() and console::parse_bearer_token().
  Result<Server> resolve() const;
};

// What a database may be although it should not, for the commands that open a store themselves.
void add_allowance_flags(CLI::App& command, store::DatabaseAllowances& allowances);

// Adds the argument for a task's id, which is parsed before the command runs: the id goes into URLs.
void add_task_option(CLI::App& command, std::string& task);

// Errors: those of console::read_file() and Task::parse(); the message names the file.
Result<Task> read_task(const std::string& path);

}  // namespace hearsay::cli
