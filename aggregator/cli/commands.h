// The subcommands of `hearsay`. Each function adds a subcommand to the application. If the user chooses the subcommand,
// `chosen` becomes its action.
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

// Adds all subcommands, in the order of --help.
void add_commands(CLI::App& app, console::Action& chosen);

void add_token_command(CLI::App& app, console::Action& chosen);
void add_task_commands(CLI::App& app, console::Action& chosen);
void add_sign_command(CLI::App& task, console::Action& chosen);  // adds to `hearsay task`
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
void add_map_commands(CLI::App& app, console::Action& chosen);  // adds to `hearsay store`

// Options that several commands share.
struct ServerFlags {
  Server given;  // values of the options; empty members: not given
  std::string token_file;

  void add_to(CLI::App& command);
  // Returns the values of the options. If --server or --ca is missing, takes HEARSAY_SERVER or HEARSAY_CA.
  Server said() const;
  // Returns the values of the options. If an option is missing, takes the variable HEARSAY_SERVER, HEARSAY_CA or
  // HEARSAY_TOKEN. If the variable is missing too, takes the profile, then the default. The function uses the profile's
  // token, authorities and certificate for the profile's server only. A token is not an argument, because other users
  // of the machine can see arguments. Errors: those of console::read_file(), console::parse_bearer_token() and
  // read_profile().
  Result<Server> resolve() const;
};

// Adds the flags that let a command open a database with unsafe settings.
void add_allowance_flags(CLI::App& command, store::DatabaseAllowances& allowances);

// Adds the argument that names a task, for resolve_task().
void add_task_option(CLI::App& command, std::string& task);

// Reads a task document. Errors: those of console::read_file() and Task::parse(); the message names the file.
Result<Task> read_task(const std::string& path);

}  // namespace hearsay::cli
