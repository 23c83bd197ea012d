// Runs a command-line program that has subcommands.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hearsay/result.h"

namespace CLI {
class App;
}

namespace hearsay::console {

// Runs the chosen subcommand. Returns the exit status of the process.
using Action = std::function<Result<int>()>;

// Parses the arguments (see parse_arguments()) and runs `chosen`. The callbacks of the subcommands must set `chosen`.
// Returns the exit status of the process. After an error the status is 2, and the error is printed to standard error
// after the program's name. Failing to write standard output is an error, too. `advise` returns a hint on what to do
// about an error, or an empty text. With the arguments --write-manual DIRECTORY, which are for packagers, the program
// writes its manual (manual.h) instead.
int run_program(CLI::App& app, std::vector<std::string> arguments, const Action& chosen,
                const std::function<std::string(const Error&)>& advise = {});

}  // namespace hearsay::console
