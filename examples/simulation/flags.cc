#include "examples/simulation/flags.h"

#include <CLI/CLI.hpp>

#include "common/base/try.h"

namespace hearsay::examples {

void DriverFlags::add_to(CLI::App& app) {
  server.add_to(app);
  app.add_option("--connections", simulation.connections, "Number of connections kept open, each with a thread")
      ->capture_default_str()
      ->check(CLI::Range(1, 512));
  app.add_option("--own-connections", simulation.own_connections,
                 "Number of clients that each open their own connection")
      ->capture_default_str();
  app.add_option("--epsilon", epsilon, "Privacy parameter of one report; smaller is more private")
      ->capture_default_str();
  app.add_option("--seed", seed, "Seed that the made-up people are drawn with; private noise does not depend on it")
      ->capture_default_str();
}

Result<SimulationOptions> DriverFlags::resolve() const {
  SimulationOptions options = simulation;
  HEARSAY_TRY(options.server, server.resolve());
  if (options.server.token.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "no token: give a file with an administrator's token (--token-file), or set HEARSAY_TOKEN"};
  }
  return options;
}

Result<Epsilon> DriverFlags::privacy() const {
  auto parsed = Epsilon::parse(epsilon);
  if (!parsed) return Error{parsed.error().code, "--epsilon: " + parsed.error().message};
  return parsed;
}

}  // namespace hearsay::examples
