#include "aggregator/console/terminal.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "aggregator/console/input.h"

namespace hearsay::console {
namespace {

constexpr std::size_t kLongestSecret = 4096;

// While an object of this class exists, the terminal does not show what is typed.
class NoEcho {
 public:
  NoEcho() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    changed_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0;
  }
  ~NoEcho() {
    if (changed_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  NoEcho(const NoEcho&) = delete;
  NoEcho& operator=(const NoEcho&) = delete;
  bool is_silent() const { return changed_; }

 private:
  termios before_{};
  bool changed_ = false;
};

}  // namespace

std::optional<std::size_t> terminal_columns(int descriptor) {
  winsize size{};
  if (::isatty(descriptor) == 0 || ::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::string in_red(const std::string& text) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool plain = (no_colour != nullptr && *no_colour != '\0') || terminal == nullptr ||
                     std::string_view(terminal) == "dumb" || ::isatty(STDERR_FILENO) == 0;
  return plain ? text : "\x1b[31m" + text + "\x1b[0m";
}

Result<std::string> read_secret(const std::string& question) {
  if (::isatty(STDIN_FILENO) == 0) return read_file("-", kLongestSecret);
  const NoEcho silence;
  if (!silence.is_silent())
    return Error{ErrorCode::kIo, "the terminal cannot hide what is typed: use a pipe or a file"};
  std::cerr << question << std::flush;
  std::string secret;
  const bool typed = static_cast<bool>(std::getline(std::cin, secret));
  std::cerr << '\n';
  if (!typed) return Error{ErrorCode::kCancelled, "nothing was typed, so nothing was done"};
  return secret;
}

}  // namespace hearsay::console
