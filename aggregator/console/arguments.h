// Parses a program's arguments, and says what is wrong with them and how to correct it.
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

// Parses `arguments` into `app`, which must have a name, and adds --version. Returns nothing if the program should go
// on. If the program must end, returns its exit status: 0 after --help or --version, 2 after an error. Errors go to
// standard error. For a misspelt command or option, the message suggests a similar name, if there is one. An option's
// value must not be empty.
std::optional<int> parse_arguments(CLI::App& app, std::vector<std::string> arguments);

// Makes the option accept only whole numbers from `least` to `most`, written in digits. For anything else the error
// names the option. Without this check CLI11 reads -1 as the greatest number of an unsigned type.
void require_whole(CLI::Option& option, std::uint64_t least,
                   std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

}  // namespace hearsay::console
