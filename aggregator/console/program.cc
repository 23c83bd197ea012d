#include "aggregator/console/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "aggregator/console/program_start.h"
#include "common/base/guard_json.h"

namespace hearsay::console {
namespace {

std::string program_name;

void report_internal(const std::string& what) { std::cerr << program_name << ": internal: " << what << '\n'; }

}  // namespace

int run_program(CLI::App& app, std::vector<std::string> arguments, const Action& chosen) {
  program_name = app.get_name();
  end_on_uncaught_exception(report_internal, 2);
  if (!fill_standard_descriptors()) return 2;
  std::reverse(arguments.begin(), arguments.end());  // the order CLI11 wants
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const Result<int> status = guard_json(chosen);
  if (status) return *status;
  std::cerr << app.get_name() << ": " << error_name(status.error().code) << ": " << status.error().message << '\n';
  return 2;
}

}  // namespace hearsay::console
