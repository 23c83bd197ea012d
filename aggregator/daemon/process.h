// Settings and figures of the daemon's own process.
#pragma once

#include <cstdint>

namespace hearsay::daemon {

// Turns core files off, and keeps other processes of the same user from reading this process's memory, which may hold
// tokens and keys. Returns false if the system refuses.
bool forbid_core_dumps();

// Raises the soft limit on open descriptors to the hard limit. Connections and the store share the descriptors.
void raise_descriptor_limit();
std::uint64_t descriptor_limit();

// Returns how many of the `wanted` connections are possible with `limit` descriptors. Some descriptors are kept for the
// store. Returns at least 1.
std::size_t connections_within(std::uint64_t limit, std::size_t wanted);

// Returns how many processors the process may use, which may be fewer than the machine has. Returns at least 1.
unsigned processors();

// The following functions return 0 if the figure is unknown. The first two count bytes of memory.
std::uint64_t resident_bytes();
std::uint64_t virtual_bytes();
std::uint64_t open_descriptors();
std::uint64_t thread_count();
double cpu_seconds();  // user and system time of all threads

}  // namespace hearsay::daemon
