#include "aggregator/console/confirm.h"

#include <unistd.h>

#include <iostream>

namespace hearsay::console {

Result<void> confirm(const std::string& question, const std::string& flag) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) {
    return Error{ErrorCode::kInvalidArgument, question + " There is no terminal to ask on; confirm with " + flag};
  }
  std::cerr << question << " Type yes to go on: " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  if (answer != "yes") return Error{ErrorCode::kCancelled, "not confirmed, so nothing was done"};
  return {};
}

}  // namespace hearsay::console
