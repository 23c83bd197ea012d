#include "tests/bench/load/usage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace hearsay::load {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// schedstat counts nanoseconds, where /proc/<pid>/stat counts ticks of 10 ms.
ServerUsage usage_of(pid_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  ServerUsage usage;
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator(process + "/task", gone)) {
    std::uint64_t nanoseconds = 0;
    if (std::ifstream(thread.path() / "schedstat") >> nanoseconds)
      usage.cpu_seconds += 1e-9 * static_cast<double>(nanoseconds);
  }
  std::uint64_t pages = 0;
  if (std::ifstream(process + "/statm") >> pages >> pages) {
    usage.resident_bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }
  return usage;
}

}  // namespace

Usage usage_now(pid_t server) {
  Usage usage;
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  usage.own_cpu_seconds = seconds(own.ru_utime) + seconds(own.ru_stime);
  if (server != 0) usage.server = usage_of(server);
  return usage;
}

}  // namespace hearsay::load
