#include "sdk/client/pin.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/support/golden.h"
#include "tests/support/tasks.h"
#include "tests/support/temporary_directory.h"

namespace hearsay::sdk {
namespace {

ErrorCode pin_code(const Result<void>& checked) { return checked ? ErrorCode::kInternal : checked.error().code; }

TEST_CASE("trust on first use: the first id is pinned, another one is refused") {
  const tests::TemporaryDirectory directory;
  const std::string file = directory / "pin";
  const TaskId first = tests::small_task("b").id();
  const TaskId other = tests::small_task("b c4").id();
  CHECK(check_pin(file, first));
  CHECK(check_pin(file, first));
  CHECK(pin_code(check_pin(file, other)) == ErrorCode::kTaskMismatch);
  CHECK(tests::read_file(file) == first.to_string() + "\n");
  const auto entries = std::filesystem::directory_iterator(std::filesystem::path(file).parent_path());
  CHECK(std::distance(begin(entries), end(entries)) == 1);
  CHECK(check_pin("", other));
  CHECK(pin_code(check_pin("/nonexistent/pin", first)) == ErrorCode::kIo);
}

TEST_CASE("an existing pin file is not replaced, even if it is empty, but a temporary file from a crash is replaced") {
  const tests::TemporaryDirectory directory;
  const std::string file = directory / "pin";
  const TaskId task = tests::small_task("b").id();
  std::ofstream(file).close();
  CHECK(pin_code(check_pin(file, task)) == ErrorCode::kIo);
  std::filesystem::remove(file);
  std::ofstream(file + ".new") << "half an i";
  CHECK(check_pin(file, task));
  CHECK(tests::read_file(file) == task.to_string() + "\n");
}

TEST_CASE("a pin file without exactly one id is refused, and the client does not wait for a pipe") {
  const tests::TemporaryDirectory directory;
  const std::string file = directory / "pin";
  const TaskId task = tests::small_task("b").id();
  const std::string id = task.to_string();
  for (const std::string& text : {" " + id, id + " ", id + "\n\n", id + "\n" + id, id + id, id.substr(1), id + '\0'}) {
    std::ofstream(file) << text;
    CHECK(pin_code(check_pin(file, task)) == ErrorCode::kIo);
  }
  std::ofstream(file) << id;
  CHECK(check_pin(file, task));
  const std::string pipe = directory / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(pin_code(check_pin(pipe, task)) == ErrorCode::kIo);
  CHECK(pin_code(check_pin(directory / ".", task)) == ErrorCode::kIo);
  CHECK(pin_code(check_pin(file + std::string(1, '\0') + "x", task)) == ErrorCode::kInvalidArgument);
}

TEST_CASE("a link in the place of the new pin is not followed") {
  const tests::TemporaryDirectory directory;
  const std::string victim = directory / "victim";
  std::ofstream(victim) << "precious";
  std::filesystem::create_symlink(victim, directory / "pin.new");
  CHECK(check_pin(directory / "pin", tests::small_task("b").id()));
  CHECK(tests::read_file(victim) == "precious");
}

TEST_CASE("if another process holds the directory's lock for long, the pin fails and does not hang") {
  const tests::TemporaryDirectory directory;
  const std::string file = directory / "pin";
  const int held = ::open(std::filesystem::path(file).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  CHECK(pin_code(check_pin(file, tests::small_task("b").id())) == ErrorCode::kIo);
  ::close(held);
  CHECK(check_pin(file, tests::small_task("b").id()));
}

TEST_CASE("of many clients that pin different tasks at once, one succeeds") {
  const std::vector<TaskId> ids{tests::small_task("b").id(), tests::small_task("b c4").id(),
                                tests::small_task("c3").id(), tests::small_task("b b").id()};
  for (int round = 0; round < 20; ++round) {
    const tests::TemporaryDirectory directory;
    const std::string file = directory / "pin";
    std::atomic<int> pinned{0};
    std::atomic<int> refused{0};
    {
      std::vector<std::jthread> threads;
      for (const TaskId& id : ids) {
        threads.emplace_back([&] {
          const auto checked = check_pin(file, id);
          pinned += checked ? 1 : 0;
          refused += pin_code(checked) == ErrorCode::kTaskMismatch ? 1 : 0;
        });
      }
    }
    CHECK(pinned == 1);
    CHECK(refused == 3);
  }
}

}  // namespace
}  // namespace hearsay::sdk
