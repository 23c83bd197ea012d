#include "aggregator/console/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "common/base/guard_json.h"

namespace hearsay::console {

int run_program(CLI::App& app, std::vector<std::string> arguments, const Action& chosen) {
  std::reverse(arguments.begin(), arguments.end());  // the order CLI11 wants
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    const Result<int> status = guard_json(chosen);
    if (status) return *status;
    std::cerr << app.get_name() << ": " << error_name(status.error().code) << ": " << status.error().message << '\n';
  } catch (const std::exception& error) {
    std::cerr << app.get_name() << ": internal: " << error.what() << '\n';
  }
  return 2;
}

}  // namespace hearsay::console
