// What processes used of the machine.
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

// Of this process and, unless it is 0, of the process `server` with all its threads that live.
Usage usage_now(pid_t server);

}  // namespace hearsay::load
