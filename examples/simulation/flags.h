// Command-line options that the drivers share.
#pragma once

#include <string>

#include "examples/simulation/simulation.h"
#include "hearsay/epsilon.h"

namespace CLI {
class App;
}

namespace hearsay::examples {

struct DriverFlags {
  SimulationOptions server;
  std::string token_file;
  std::string epsilon;
  std::uint64_t seed = 1973;

  // Adds the options; the members' present values are the defaults.
  void add_to(CLI::App& app);
  // Reads the token file into server.admin_token. Errors: kIo.
  Result<void> resolve();
};

// Prints the error of a failed driver and turns it into an exit status.
int exit_status(const std::string& program, const Result<int>& result);

}  // namespace hearsay::examples
