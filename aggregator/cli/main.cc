// hearsay: the analyst's and administrator's command.
#include <CLI/CLI.hpp>
#include <iostream>

#include "aggregator/cli/commands.h"

int main(int argc, char** argv) {
  using namespace hearsay::aggregator;
  CLI::App app("hearsay: tasks, plans, estimates and audits of locally private statistics.", "hearsay");
  app.require_subcommand(1);
  Action chosen;
  add_task_commands(app, chosen);
  add_plan_command(app, chosen);
  add_estimate_command(app, chosen);
  add_audit_command(app, chosen);
  add_verify_command(app, chosen);
  add_token_command(app, chosen);
  CLI11_PARSE(app, argc, argv);
  try {
    const auto status = chosen();
    if (status) return *status;
    std::cerr << "hearsay: " << hearsay::error_name(status.error().code) << ": " << status.error().message << '\n';
  } catch (const std::exception& error) {
    std::cerr << "hearsay: internal: " << error.what() << '\n';
  }
  return 2;
}
