// The subcommand `distributional` of `hearsay-central`.
#pragma once

#include "aggregator/console/program.h"

namespace CLI {
class App;
}

namespace hearsay::central {

void add_distributional_command(CLI::App& app, console::Action& chosen);

}  // namespace hearsay::central
