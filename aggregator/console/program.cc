#include "aggregator/console/program.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "aggregator/console/arguments.h"
#include "aggregator/console/output.h"

namespace hearsay::console {

int run_program(CLI::App& app, std::vector<std::string> arguments, const Action& chosen) {
  if (const auto ended = parse_arguments(app, std::move(arguments))) return *ended;
  try {
    const Result<int> status = chosen();
    if (status) return finish_output(app.get_name(), *status);
    std::cerr << app.get_name() << ": " << error_name(status.error().code) << ": " << status.error().message << '\n';
  } catch (const std::exception& error) {
    std::cerr << app.get_name() << ": internal: " << error.what() << '\n';
  }
  return 2;
}

}  // namespace hearsay::console
