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

// The number of descriptors that are kept free for the store's files, logs, listening sockets and backups.
constexpr std::uint64_t kReservedDescriptors = 512;

struct Memory {
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
};

Memory memory_of_process() {
  std::ifstream in("/proc/self/statm");
  Memory pages;
  if (!(in >> pages.total >> pages.resident)) return {};
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {pages.total * page, pages.resident * page};
}

std::uint64_t entries_of(const char* directory) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(directory, error);
  return error ? 0 : static_cast<std::uint64_t>(std::distance(begin(entries), end(entries)));
}

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
  // At most half of the limit is kept free.
  const std::uint64_t reserved = std::min(kReservedDescriptors, limit / 2);
  return std::max<std::uint64_t>(1, std::min<std::uint64_t>(wanted, limit - reserved));
}

unsigned processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&allowed)));
}

std::uint64_t virtual_bytes() { return memory_of_process().total; }
std::uint64_t resident_bytes() { return memory_of_process().resident; }

std::uint64_t open_descriptors() {
  const std::uint64_t entries = entries_of("/proc/self/fd");
  return entries == 0 ? 0 : entries - 1;  // one entry is the descriptor of this iteration
}

std::uint64_t thread_count() { return entries_of("/proc/self/task"); }

double cpu_seconds() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const auto microseconds = [](const timeval& time) { return time.tv_sec * 1'000'000 + time.tv_usec; };
  return static_cast<double>(microseconds(usage.ru_utime) + microseconds(usage.ru_stime)) / 1e6;
}

}  // namespace hearsay::daemon
