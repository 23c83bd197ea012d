// Manual pages and completion for bash, from a program's commands and options as they are defined.
#pragma once

#include <string>
#include <vector>

#include "hearsay/result.h"

namespace CLI {
class App;
}

namespace hearsay::console {

struct ManualPage {
  std::string name;  // of the file: "hearsay-task-create.1"
  std::string text;  // man(7)
};

// A page for the program and one for each of its commands, at any depth.
std::vector<ManualPage> manual_pages(const CLI::App& app);

// A script for bash that completes the program's commands, options and files.
std::string bash_completion(const CLI::App& app);

// Writes both below `directory`: man1/*.1 and completions/PROGRAM. Errors: kIo.
Result<void> write_manual(const CLI::App& app, const std::string& directory);

}  // namespace hearsay::console
