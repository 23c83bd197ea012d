#include "aggregator/cli/commands.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "aggregator/cli/profile.h"
#include "aggregator/console/bearer_token.h"
#include "aggregator/console/input.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

const std::string kDefaultServer = "https://127.0.0.1:8443";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

void add_commands(CLI::App& app, console::Action& chosen) {
  app.require_subcommand(1);
  add_login_commands(app, chosen);
  add_task_commands(app, chosen);
  add_schema_command(app, chosen);
  add_design_command(app, chosen);
  add_plan_command(app, chosen);
  add_rehearse_command(app, chosen);
  add_bounds_command(app, chosen);
  add_estimate_command(app, chosen);
  add_watch_command(app, chosen);
  add_audit_command(app, chosen);
  add_verify_command(app, chosen);
  add_token_command(app, chosen);
  add_status_command(app, chosen);
  add_store_commands(app, chosen);
  add_backup_command(app, chosen);
  add_restore_command(app, chosen);
  add_repair_command(app, chosen);
}

void ServerFlags::add_to(CLI::App& command) {
  command.add_option(
      "--server", given.url,
      "URL of the aggregator; default: HEARSAY_SERVER, else the server of `hearsay login`, else " + kDefaultServer);
  command.add_option("--ca", given.ca_file,
                     "PEM file with the certificate authorities to trust; default: HEARSAY_CA, else the file of "
                     "`hearsay login`, else the system's authorities");
  command.add_option("--certificate", given.certificate,
                     "PEM file with this client's certificate, if the aggregator asks for one");
  command
      .add_option("--private-key", given.private_key,
                  "PEM file with the private key of --certificate; default: the key is in the certificate's file")
      ->needs("--certificate");
  command.add_option(
      "--token-file", token_file,
      "File with the bearer token; default: the variable HEARSAY_TOKEN, else the token of `hearsay login`");
}

Server ServerFlags::said() const {
  Server server = given;
  if (server.url.empty()) server.url = variable("HEARSAY_SERVER");
  if (server.ca_file.empty()) server.ca_file = variable("HEARSAY_CA");
  return server;
}

Result<Server> ServerFlags::resolve() const {
  HEARSAY_TRY(const std::optional<Server> profile, read_profile(profile_path()));
  Server server = said();
  if (server.url.empty()) server.url = profile ? profile->url : kDefaultServer;
  const bool is_known = profile && profile->url == server.url;
  if (is_known && server.ca_file.empty()) server.ca_file = profile->ca_file;
  if (is_known && server.certificate.empty()) {
    server.certificate = profile->certificate;
    server.private_key = profile->private_key;
  }
  if (!token_file.empty()) {
    HEARSAY_TRY(const std::string text, console::read_file(token_file));
    HEARSAY_TRY(server.token, console::parse_bearer_token(text, "the token file '" + token_file + "'"));
  } else if (const char* token = std::getenv("HEARSAY_TOKEN"); token != nullptr) {
    HEARSAY_TRY(server.token, console::parse_bearer_token(token, "the environment variable HEARSAY_TOKEN"));
  } else if (is_known) {
    server.token = profile->token;
  }
  return server;
}

void add_allowance_flags(CLI::App& command, store::DatabaseAllowances& allowances) {
  command.add_flag("--allow-lossy-database", allowances.lossy,
                   "Accept a database server that may lose acknowledged data (fsync off, for example)");
  command.add_flag("--allow-unverified-database", allowances.unverified,
                   "Accept a database server on another machine without sslmode=verify-full");
}

void add_task_option(CLI::App& command, std::string& task) {
  command.add_option("task,--task", task, "Title or id of the task, or the first characters of either (4 or more)")
      ->required();
}

Result<Task> read_task(const std::string& path) {
  HEARSAY_TRY(const std::string text, console::read_file(path));
  return console::named(path, Task::parse(text));
}

}  // namespace hearsay::cli
