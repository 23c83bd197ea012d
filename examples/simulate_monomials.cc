// Monomials over booleans on the populations of the paper's Theorem 7, over the wire.
#include <CLI/CLI.hpp>
#include "examples/simulation/random_databases.h"

int main(int argc, char** argv) {
  using namespace hearsay::examples;
  CLI::App app("simulate_monomials: conjunctions of literals on (f,ω,n)-random databases, and the paper's bound.");
  RandomDatabaseFlags flags;
  flags.add_to(app);
  CLI11_PARSE(app, argc, argv);
  return exit_status("simulate_monomials", report_random_databases(flags, {"a", "a and not b", "a and b and not c"}));
}
