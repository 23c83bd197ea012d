#include "aggregator/daemon/process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

namespace hearsay::daemon {
namespace {

TEST_CASE("no core is dumped, even if the limits allowed core dumps at the start") {
  // Runs in a child process, since the change cannot be undone.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool forbidden = forbid_core_dumps();
    rlimit limit{1, 1};
    getrlimit(RLIMIT_CORE, &limit);
    _exit(forbidden && limit.rlim_cur == 0 && limit.rlim_max == 0 && prctl(PR_GET_DUMPABLE) == 0 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("the limit on connections leaves file descriptors for other purposes") {
  CHECK(connections_within(1'000'000, 10'000) == 10'000);
  CHECK(connections_within(10'512, 10'000) == 10'000);
  CHECK(connections_within(10'511, 10'000) == 9'999);
  CHECK(connections_within(1024, 10'000) == 512);
  CHECK(connections_within(1000, 10'000) == 500);
  CHECK(connections_within(1000, 20) == 20);
  CHECK(connections_within(1, 10'000) == 1);
  CHECK(connections_within(0, 10'000) == 1);
}

TEST_CASE("the process's descriptors and memory are counted") {
  const std::uint64_t before = open_descriptors();
  CHECK(before >= 3);
  std::vector<int> opened;
  for (int i = 0; i < 5; ++i) opened.push_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
  CHECK(open_descriptors() == before + 5);
  for (const int descriptor : opened) close(descriptor);
  CHECK(open_descriptors() == before);
  CHECK(descriptor_limit() >= before);
  CHECK(resident_bytes() > (std::uint64_t{1} << 20U));
  CHECK(virtual_bytes() > resident_bytes());
}

TEST_CASE("the process's threads and processor time are counted") {
  std::thread([] {}).join();  // ThreadSanitizer starts a thread of its own when the first thread starts
  const std::uint64_t before = thread_count();
  CHECK(before >= 1);
  std::promise<void> end;
  std::thread waiting([ended = end.get_future()] { ended.wait(); });
  CHECK(thread_count() == before + 1);
  end.set_value();
  waiting.join();
  const double before_work = cpu_seconds();
  while (cpu_seconds() < before_work + 0.01) {
  }
}

}  // namespace
}  // namespace hearsay::daemon
