// Runs a program of subcommands.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hearsay/result.h"

namespace CLI {
class App;
}

namespace hearsay::console {

// What the chosen subcommand does. The value is the process's exit status.
using Action = std::function<Result<int>()>;

// Parses the arguments (see parse_arguments()), runs `chosen`, which the parsed subcommand has set, and returns the
// process's exit status. Status 2 is an error: it is printed to standard error after the program's name. Standard
// output that could not be written is an error, too. The arguments --write-manual DIRECTORY, which packagers use, write
// what manual.h describes instead. `advise` says what to do about an error; it may return nothing.
int run_program(CLI::App& app, std::vector<std::string> arguments, const Action& chosen,
                const std::function<std::string(const Error&)>& advise = {});

}  // namespace hearsay::console
