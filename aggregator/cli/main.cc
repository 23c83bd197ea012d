// hearsay: the analyst's and administrator's command.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "aggregator/cli/advice.h"
#include "aggregator/cli/commands.h"

namespace {

// A task id may begin with a dash, like an option. Such an argument is handed on as the option's value.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> result;
  for (std::string argument : std::vector<std::string>(argv + 1, argv + argc)) {
    if (argument.starts_with('-') && hearsay::TaskId::parse(argument)) {
      if (!result.empty() && result.back() == "--task") result.pop_back();
      argument = "--task=" + argument;
    }
    result.push_back(std::move(argument));
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace hearsay;
  CLI::App app(
      "hearsay: plans tasks of locally private statistics, answers queries from their reports, and audits their "
      "privacy.",
      "hearsay");
  console::Action chosen;
  cli::add_commands(app, chosen);
  return console::run_program(app, arguments(argc, argv), chosen, cli::advice);
}
