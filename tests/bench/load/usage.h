// Measures the processor time and memory of processes.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace hearsay::load {

struct ServerUsage {
  double cpu_seconds = 0;
  std::uint64_t resident_bytes = 0;
};

struct Usage {
  double own_cpu_seconds = 0;
  ServerUsage server;
};

// Measures this process and, unless `server` is 0, the process `server` with all its living threads.
Usage usage_now(pid_t server);

}  // namespace hearsay::load
