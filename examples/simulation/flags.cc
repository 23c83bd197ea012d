#include "examples/simulation/flags.h"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

namespace hearsay::examples {

void DriverFlags::add_to(CLI::App& app) {
  app.add_option("--host", server.host, "Name of the aggregator, as in its certificate")->capture_default_str();
  app.add_option("--port", server.port, "Its port")->capture_default_str();
  app.add_option("--ca", server.ca_file, "PEM file with the certificate authorities to trust; default: the system's");
  app.add_option("--token-file", token_file, "File with an administrator's bearer token")->required();
  app.add_option("--connections", server.connections, "Connections kept open, one thread each")
      ->capture_default_str()
      ->check(CLI::Range(1, 512));
  app.add_option("--own-connections", server.own_connections, "Clients that open a connection of their own")
      ->capture_default_str();
  app.add_option("--epsilon", epsilon, "Privacy parameter of one report")->capture_default_str();
  app.add_option("--seed", seed, "For drawing the made-up people; nothing private depends on it")
      ->capture_default_str();
}

Result<void> DriverFlags::resolve() {
  std::ifstream in(token_file);
  if (!(in >> server.admin_token)) return Error{ErrorCode::kIo, "cannot read a token from '" + token_file + "'"};
  return {};
}

int exit_status(const std::string& program, const Result<int>& result) {
  if (result) return *result;
  std::cerr << program << ": " << error_name(result.error().code) << ": " << result.error().message << '\n';
  return 1;
}

}  // namespace hearsay::examples
