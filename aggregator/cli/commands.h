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

// All of them, in the order of --help.
void add_commands(CLI::App& app, console::Action& chosen);

void add_token_command(CLI::App& app, console::Action& chosen);
void add_task_commands(CLI::App& app, console::Action& chosen);
void add_sign_command(CLI::App& task, console::Action& chosen);  // a subcommand of `hearsay task`
void add_login_commands(CLI::App& app, console::Action& chosen);
void add_estimate_command(CLI::App& app, console::Action& chosen);
void add_rehearse_command(CLI::App& app, console::Action& chosen);
void add_watch_command(CLI::App& app, console::Action& chosen);
void add_schema_command(CLI::App& app, console::Action& chosen);
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
  Server given;  // by options; empty: not given
  std::string token_file;

  void add_to(CLI::App& command);
  // What options say, else the variables HEARSAY_SERVER and HEARSAY_CA.
  Server said() const;
  // What options say, else the variables HEARSAY_SERVER, HEARSAY_CA and HEARSAY_TOKEN, else the profile, else the
  // default. The profile's token, authorities and certificate go to the profile's server alone. A token is never an
  // argument, which other users could see. Errors: those of console::read_file(), console::parse_bearer_token() and
  // read_profile().
  Result<Server> resolve() const;
};

// What a database may be although it should not, for the commands that open a store themselves.
void add_allowance_flags(CLI::App& command, store::DatabaseAllowances& allowances);

// Adds the argument for a task: what resolve_task() takes.
void add_task_option(CLI::App& command, std::string& task);

// Errors: those of console::read_file() and Task::parse(); the message names the file.
Result<Task> read_task(const std::string& path);

}  // namespace hearsay::cli
