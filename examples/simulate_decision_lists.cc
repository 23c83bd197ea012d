// Checks the paper's Theorem 7 for decision lists over booleans. Made-up people report to a real aggregator.
#include <CLI/CLI.hpp>

#include "aggregator/console/program.h"
#include "examples/simulation/random_databases.h"

int main(int argc, char** argv) {
  using namespace hearsay;
  CLI::App app(
      "simulate_decision_lists: checks the paper's error bound for decision lists on (f,ω,n)-random databases.",
      "simulate_decision_lists");
  examples::RandomDatabaseFlags flags;
  flags.add_to(app);
  return console::run_program(app, {argv + 1, argv + argc}, [&flags] {
    return report_random_databases(
        flags, {"decision_list(a: yes, b: no, else: yes)", "decision_list(not a: no, b: yes, c: no, else: yes)"});
  });
}
