#include "aggregator/console/program.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "aggregator/console/arguments.h"
#include "aggregator/console/manual.h"
#include "aggregator/console/output.h"
#include "aggregator/console/program_start.h"
#include "aggregator/console/terminal.h"
#include "common/base/guard_json.h"

namespace hearsay::console {
namespace {

std::string program_name;

void report_internal(const std::string& what) { std::cerr << program_name << ": internal: " << what << '\n'; }

}  // namespace

int run_program(CLI::App& app, std::vector<std::string> arguments, const Action& chosen,
                const std::function<std::string(const Error&)>& advise) {
  program_name = app.get_name();
  end_on_uncaught_exception(report_internal, 2);
  if (!fill_standard_descriptors()) return 2;
  if (arguments.size() == 2 && arguments.front() == "--write-manual") {
    const auto written = write_manual(app, arguments.back());
    if (!written) std::cerr << program_name << ": " << written.error().message << '\n';
    return written ? 0 : 2;
  }
  if (const auto ended = parse_arguments(app, std::move(arguments))) return *ended;
  const Result<int> status = guard_json(chosen);
  if (status) return finish_output(app.get_name(), *status);
  const std::string name(error_name(status.error().code));
  std::cerr << app.get_name() << ": " << in_red(name) << ": " << status.error().message << '\n';
  const std::string next = advise ? advise(status.error()) : "";
  if (!next.empty()) std::cerr << "Next: " << next << ".\n";
  return 2;
}

}  // namespace hearsay::console
