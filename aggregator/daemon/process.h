// What the daemon asks of the operating system for its own process.
#pragma once

#include <cstdint>

namespace hearsay::daemon {

// From now on, no core file is written, and no other process of the same user may look into this process, because its
// memory may hold tokens and keys. Returns false if the system refuses.
bool forbid_core_dumps();

// Raises the soft limit on open descriptors to the hard limit. Connections and the store share the descriptors.
void raise_descriptor_limit();
std::uint64_t descriptor_limit();

// Returns how many of the wanted connections fit `limit` descriptors, after the store's share. Returns at least 1.
std::size_t connections_within(std::uint64_t limit, std::size_t wanted);

// Returns how many processors the process may use, which may be fewer than the machine has. Returns at least 1.
unsigned processors();

// Returns the memory of the process; 0 if unknown.
std::uint64_t resident_bytes();
std::uint64_t virtual_bytes();
std::uint64_t open_descriptors();
std::uint64_t thread_count();
double cpu_seconds();  // of all threads, user and system

}  // namespace hearsay::daemon
