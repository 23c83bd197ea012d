// What an analyst does after a command, with the exact commands. At most 100 columns wide.
#pragma once

#include <string>
#include <vector>

namespace hearsay::cli {

// The words as a shell reads them, continued on several lines where one is too short. Empty if a word alone is too long
// for a line, or holds a line break.
std::string command_line(const std::vector<std::string>& words);

struct Step {
  std::string what;
  std::string command;  // of command_line(); empty: none
};

std::string next_steps(const std::vector<Step>& steps);

}  // namespace hearsay::cli
