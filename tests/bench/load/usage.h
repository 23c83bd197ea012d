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

Usage usage_now(pid_t server);

}  // namespace hearsay::load
