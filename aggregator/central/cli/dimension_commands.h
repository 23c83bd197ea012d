// The subcommands `dimensions` and `reconstruct` of `hearsay-central`.
#pragma once

#include "aggregator/console/program.h"

namespace CLI {
class App;
}

namespace hearsay::central {

void add_dimensions_command(CLI::App& app, console::Action& chosen);
void add_reconstruct_command(CLI::App& app, console::Action& chosen);

}  // namespace hearsay::central
