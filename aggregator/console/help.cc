#include "aggregator/console/help.h"

#include <CLI/CLI.hpp>

namespace hearsay::console {

void set_examples(CLI::App& command, const std::vector<Example>& examples) {
  std::string text = examples.size() == 1 ? "Example:" : "Examples:";
  for (const Example& example : examples) {
    if (!example.what.empty()) text += "\n  # " + example.what;
    text += "\n  " + example.command;
  }
  command.footer(text);
}

}  // namespace hearsay::console
