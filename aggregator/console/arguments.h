// Parses a program's arguments, and says what is wrong with them so that they can be put right.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hearsay::console {

// Parses `arguments` into `app`, which has a name, and adds --version. Returns nothing if the program goes on. If the
// program must end, returns its exit status: 0 after --help or --version, 2 after an error. An error is told on
// standard error. A misspelt command or option is told with the nearest one; an option's value must not be empty.
std::optional<int> parse_arguments(CLI::App& app, std::vector<std::string> arguments);

// Makes the option take whole numbers of this range, in digits, and refuse all else by name. Without it CLI11 reads -1
// as the greatest number of an unsigned type.
void require_whole(CLI::Option& option, std::uint64_t least,
                   std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

}  // namespace hearsay::console
