// Checks the paper's Theorem 7 for monomials over booleans. Made-up people report to a real aggregator.
#include <CLI/CLI.hpp>

#include "aggregator/console/program.h"
#include "examples/simulation/random_databases.h"

int main(int argc, char** argv) {
  using namespace hearsay;
  CLI::App app(
      "simulate_monomials: checks the paper's error bound for conjunctions of literals on (f,ω,n)-random databases.",
      "simulate_monomials");
  examples::RandomDatabaseFlags flags;
  flags.add_to(app);
  return console::run_program(app, {argv + 1, argv + argc}, [&flags] {
    return report_random_databases(flags, {"a", "a and not b", "a and b and not c"});
  });
}
