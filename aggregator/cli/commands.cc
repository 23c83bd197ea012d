#include "aggregator/cli/commands.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "aggregator/console/bearer_token.h"
#include "aggregator/console/input.h"
#include "common/base/try.h"

namespace hearsay::cli {

void ServerFlags::add_to(CLI::App& command) {
  command.add_option("--server", server.url, "URL of the aggregator")->capture_default_str();
  command.add_option("--ca", server.ca_file,
                     "PEM file with the certificate authorities to trust; default: the system's");
  command.add_option("--certificate", server.certificate,
                     "PEM file with this client's certificate, where the aggregator asks for one");
  command
      .add_option("--private-key", server.private_key,
                  "PEM file with the certificate's key; default: the certificate's file")
      ->needs("--certificate");
  command.add_option("--token-file", token_file, "File with the bearer token; default: the variable HEARSAY_TOKEN");
}

Result<Server> ServerFlags::resolve() const {
  Server resolved = server;
  if (!token_file.empty()) {
    HEARSAY_TRY(const std::string text, console::read_file(token_file));
    HEARSAY_TRY(resolved.token, console::parse_bearer_token(text, "the token file '" + token_file + "'"));
  } else if (const char* token = std::getenv("HEARSAY_TOKEN"); token != nullptr) {
    HEARSAY_TRY(resolved.token, console::parse_bearer_token(token, "the environment variable HEARSAY_TOKEN"));
  }
  return resolved;
}

void add_allowance_flags(CLI::App& command, store::DatabaseAllowances& allowances) {
  command.add_flag("--allow-lossy-database", allowances.lossy,
                   "Take a database server that may lose what it acknowledged (fsync off, and the like)");
  command.add_flag("--allow-unverified-database", allowances.unverified,
                   "Take a database server off this machine without sslmode=verify-full");
}

void add_task_option(CLI::App& command, std::string& task) {
  command
      .add_option_function<std::string>(
          "task,--task",
          [&task](const std::string& text) {
            const auto id = TaskId::parse(text);
            if (!id) throw CLI::ValidationError("task", "'" + text + "' is no task id: " + id.error().message);
            task = id->to_string();
          },
          "Task id")
      ->required();
}

Result<Task> read_task(const std::string& path) {
  HEARSAY_TRY(const std::string text, console::read_file(path));
  return console::named(path, Task::parse(text));
}

}  // namespace hearsay::cli
