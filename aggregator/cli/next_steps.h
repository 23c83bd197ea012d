// Tells an analyst what to do after a command, with the exact commands. Lines have at most 100 columns.
#pragma once

#include <string>
#include <vector>

namespace hearsay::cli {

// Returns the words as one command for a shell, on several lines if necessary. Returns an empty text if a word is too
// long for a line, or has a line break.
std::string command_line(const std::vector<std::string>& words);

struct Step {
  std::string what;
  std::string command;  // the result of command_line(), or empty for no command
};

std::string next_steps(const std::vector<Step>& steps);

}  // namespace hearsay::cli
