// hearsay: the command for analysts and administrators.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "aggregator/cli/advice.h"
#include "aggregator/cli/commands.h"

namespace {

// Returns the program's arguments. A task id may begin with a dash, as options do. The function writes such an id as
// --task=ID.
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
