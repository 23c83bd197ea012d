// Adds examples to the end of a command's --help.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hearsay::console {

struct Example {
  std::string what;     // a comment for people; may be empty
  std::string command;  // the command line
};

// Shows the examples below the command's options.
void set_examples(CLI::App& command, const std::vector<Example>& examples);

}  // namespace hearsay::console
