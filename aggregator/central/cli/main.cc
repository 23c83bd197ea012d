// hearsay-central: the command for studying mechanisms of a trusted curator.
#include <CLI/CLI.hpp>
#include "aggregator/central/cli/audit_command.h"
#include "aggregator/central/cli/dimension_commands.h"
#include "aggregator/central/cli/distributional_command.h"

int main(int argc, char** argv) {
  CLI::App app(
      "hearsay-central: audits mechanisms of a trusted curator, and computes limits on the accuracy of every "
      "mechanism.",
      "hearsay-central");
  app.require_subcommand(1);
  hearsay::console::Action chosen;
  hearsay::central::add_audit_command(app, chosen);
  hearsay::central::add_distributional_command(app, chosen);
  hearsay::central::add_dimensions_command(app, chosen);
  hearsay::central::add_reconstruct_command(app, chosen);
  return hearsay::console::run_program(app, {argv + 1, argv + argc}, chosen);
}
