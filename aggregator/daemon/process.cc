#include "aggregator/daemon/process.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace hearsay::daemon {
namespace {

// For the store's files, logs, listening sockets and backups.
constexpr std::uint64_t kReservedDescriptors = 512;

}  // namespace

bool forbid_core_dumps() {
  const rlimit none{0, 0};
  const bool limited = setrlimit(RLIMIT_CORE, &none) == 0;
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && limited;
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::uint64_t descriptor_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

std::size_t connections_within(std::uint64_t limit, std::size_t wanted) {
  // Of a small limit the store gets half.
  const std::uint64_t reserved = std::min(kReservedDescriptors, limit / 2);
  return std::max<std::uint64_t>(1, std::min<std::uint64_t>(wanted, limit - reserved));
}

unsigned processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&allowed)));
}

std::uint64_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  if (!(in >> total >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t open_descriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator entries("/proc/self/fd", error);
  if (error) return 0;
  const auto count = std::distance(begin(entries), end(entries));
  return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(count - 1, 0));  // one is the iteration's own
}

}  // namespace hearsay::daemon
