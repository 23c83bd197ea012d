#include "aggregator/console/terminal.h"

#include <doctest/doctest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace hearsay::console {
namespace {

// Runs a child with a terminal of its own. Returns what the child writes to the terminal.
template <class Child>
std::string on_terminal(const std::string& input, unsigned short columns, const Child& child) {
  winsize size{24, columns, 0, 0};
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
  REQUIRE(pid >= 0);
  if (pid == 0) {
    child();
    ::_exit(0);
  }
  std::string output;
  char piece[256];
  bool sent = input.empty();
  for (ssize_t read = 0; (read = ::read(terminal, piece, sizeof(piece))) > 0;) {
    output.append(piece, static_cast<std::size_t>(read));
    // When the question appears, the terminal has stopped echoing.
    if (!sent && output.find("? ") != std::string::npos) sent = ::write(terminal, input.data(), input.size()) > 0;
  }
  ::waitpid(pid, nullptr, 0);
  ::close(terminal);
  return output;
}

void say(const std::string& text) { static_cast<void>(!::write(STDOUT_FILENO, text.data(), text.size())); }

TEST_CASE("a terminal has a width, and a pipe or file has none") {
  CHECK(on_terminal("", 61, [] { say(std::to_string(terminal_columns(STDOUT_FILENO).value_or(0))); }) == "61");
  CHECK(on_terminal("", 0, [] { say(terminal_columns(STDOUT_FILENO) ? "wide" : "unknown"); }) == "unknown");
  CHECK_FALSE(terminal_columns(-1));
}

TEST_CASE("a secret is read from a terminal and not shown") {
  const std::string output = on_terminal("s3cret\n", 80, [] {
    const auto secret = read_secret("token? ");
    say(secret && *secret == "s3cret" ? "right" : "wrong");
  });
  CHECK(output.find("right") != std::string::npos);
  CHECK(output.find("s3cret") == std::string::npos);
}

TEST_CASE("errors are red on a terminal, unless NO_COLOR or TERM says no") {
  const auto shown = [](const char* name, const char* value) {
    return on_terminal("", 80, [&] {
      ::unsetenv("NO_COLOR");
      ::setenv("TERM", "xterm", 1);
      ::setenv(name, value, 1);
      say(in_red("io"));
    });
  };
  CHECK(shown("OTHER", "1") == "\x1b[31mio\x1b[0m");
  // By the rule of https://no-color.org, only a value that is not empty counts.
  CHECK(shown("NO_COLOR", "") == "\x1b[31mio\x1b[0m");
  CHECK(shown("NO_COLOR", "1") == "io");
  CHECK(shown("TERM", "dumb") == "io");
}

}  // namespace
}  // namespace hearsay::console
