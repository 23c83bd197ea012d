#include "aggregator/console/program_start.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/system/system_error.hpp>
#include <functional>
#include <stdexcept>
#include <thread>

namespace hearsay::console {
namespace {

// Runs `body` in a child. Returns the child's exit status, or 128 + the signal that killed the child. Appends the
// child's standard error to `errors`.
int status_of_child(const std::function<int()>& body, std::string* errors = nullptr) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    _exit(body());
  }
  close(ends[1]);
  std::array<char, 512> text{};
  for (ssize_t got = 0; (got = read(ends[0], text.data(), text.size())) > 0;) {
    if (errors != nullptr) errors->append(text.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_CASE("closed standard descriptors are occupied, and reading or writing them still fails") {
  for (int closed = 0; closed < 8; ++closed) {
    CAPTURE(closed);
    CHECK(status_of_child([closed] {
            for (int descriptor = 0; descriptor < 3; ++descriptor) {
              if ((closed >> descriptor & 1) != 0) close(descriptor);
            }
            if (!fill_standard_descriptors()) return 1;
            if (open("/dev/null", O_RDONLY) < 3) return 2;
            char byte = 0;
            if ((closed & 1) != 0 && read(0, &byte, 1) != -1) return 3;
            if ((closed & 2) != 0 && write(1, &byte, 1) != -1) return 4;
            if ((closed & 4) != 0 && write(2, &byte, 1) != -1) return 5;
            return 0;
          }) == 0);
  }
}

void report(const std::string& what) { static_cast<void>(!write(STDERR_FILENO, what.data(), what.size())); }

TEST_CASE("an uncaught exception on any thread gives a message and the exit status") {
  std::string text;
  CHECK(status_of_child(
            [] {
              end_on_uncaught_exception(report, 7);
              std::thread([] { throw std::runtime_error("broken"); }).join();
              return 0;
            },
            &text) == 7);
  CHECK(text == "broken");
  text.clear();
  CHECK(status_of_child(
            [] {
              end_on_uncaught_exception(report, 7);
              std::thread([] {
                const auto code =
                    boost::system::errc::make_error_code(boost::system::errc::resource_unavailable_try_again);
                throw boost::system::system_error(code, "thread");
              }).join();
              return 0;
            },
            &text) == 7);
  CHECK(text.find("no more threads") != std::string::npos);
}

TEST_CASE("if the handler of an uncaught exception throws, too, the process still ends") {
  std::string text;
  CHECK(status_of_child(
            [] {
              end_on_uncaught_exception([](const std::string&) { throw std::bad_alloc(); }, 7);
              std::thread([] { throw std::bad_alloc(); }).join();
              return 0;
            },
            &text) == 7);
  CHECK(text == "out of memory\n");
}

}  // namespace
}  // namespace hearsay::console
