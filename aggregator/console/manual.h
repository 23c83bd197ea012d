// Makes manual pages and bash completion from a program's commands and options.
#pragma once

#include <string>
#include <vector>

#include "hearsay/result.h"

namespace CLI {
class App;
}

namespace hearsay::console {

struct ManualPage {
  std::string name;  // the page's file name, such as "hearsay-task-create.1"
  std::string text;  // in the format of man(7)
};

// Returns a page for the program and one for each of its commands, at any depth.
std::vector<ManualPage> manual_pages(const CLI::App& app);

// Returns a script for bash that completes the program's commands, options and files.
std::string bash_completion(const CLI::App& app);

// Writes the pages to `directory`/man1/*.1 and the script to `directory`/completions/PROGRAM. Errors: kIo.
Result<void> write_manual(const CLI::App& app, const std::string& directory);

}  // namespace hearsay::console
