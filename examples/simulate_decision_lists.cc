// Decision lists over booleans on the populations of the paper's Theorem 7, over the wire.
#include <CLI/CLI.hpp>
#include "examples/simulation/random_databases.h"

int main(int argc, char** argv) {
  using namespace hearsay::examples;
  CLI::App app("simulate_decision_lists: decision lists on (f,ω,n)-random databases, and the paper's bound.");
  RandomDatabaseFlags flags;
  flags.add_to(app);
  CLI11_PARSE(app, argc, argv);
  return exit_status("simulate_decision_lists",
                     report_random_databases(flags, {"decision_list(a: yes, b: no, else: yes)",
                                                     "decision_list(not a: no, b: yes, c: no, else: yes)"}));
}
