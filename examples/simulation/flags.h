// Command-line options that the drivers share.
#pragma once

#include <string>

#include "aggregator/cli/commands.h"
#include "examples/simulation/simulation.h"
#include "hearsay/epsilon.h"

namespace CLI {
class App;
}

namespace hearsay::examples {

struct DriverFlags {
  cli::ServerFlags server;
  SimulationOptions simulation;  // all options but the server
  std::string epsilon;
  std::uint64_t seed = 1973;

  // Adds the options; the members' present values are the defaults.
  void add_to(CLI::App& app);
  // Returns the simulation's options, with the server and the token. Errors: those of cli::ServerFlags::resolve(),
  // kInvalidArgument (no token).
  Result<SimulationOptions> resolve() const;
  // Returns ε. Errors: those of Epsilon::parse(); the message names the option.
  Result<Epsilon> privacy() const;
};

}  // namespace hearsay::examples
