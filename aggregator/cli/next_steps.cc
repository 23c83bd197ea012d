#include "aggregator/cli/next_steps.h"

#include "aggregator/cli/layout.h"

namespace hearsay::cli {

std::string command_line(const std::vector<std::string>& words) {
  constexpr std::size_t kIndent = 4;
  const std::size_t most = line_columns() - kIndent - 2;  // room for " \"
  std::string text;
  std::size_t used = 0;
  for (const std::string& word : words) {
    const std::string quoted = shell_quoted(word);
    if (quoted.size() > most - kIndent || quoted.find_first_of("\r\n") != std::string::npos) return "";
    if (used + 1 + quoted.size() > most) {
      text += " \\\n" + std::string(2 * kIndent, ' ');
      used = kIndent;
    } else if (used > 0) {
      text += ' ';
      ++used;
    }
    text += quoted;
    used += quoted.size();
  }
  return text;
}

std::string next_steps(const std::vector<Step>& steps) {
  std::string text = "Next:\n";
  for (const Step& step : steps) {
    for (const std::string& line : wrapped(step.what, line_columns() - 2)) text += "  " + line + '\n';
    if (!step.command.empty()) text += "    " + step.command + '\n';
  }
  return text;
}

}  // namespace hearsay::cli
