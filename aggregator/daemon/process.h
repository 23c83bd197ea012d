// What the daemon asks of the operating system for its own process.
#pragma once

#include <cstdint>

namespace hearsay::daemon {

// Memory may hold tokens and keys: no core file is written from now on, and no other process of the same user may
// look into this one. False if the system refuses.
bool forbid_core_dumps();

// Raises the soft limit on open descriptors to the hard one; connections and the store share them.
void raise_descriptor_limit();
std::uint64_t descriptor_limit();

// How many connections leave the store and the rest enough of `limit` descriptors, but at least 1.
std::size_t connections_within(std::uint64_t limit, std::size_t wanted);

// Processors that the process may run on, which may be fewer than the machine has; at least 1.
unsigned processors();

// 0 if unknown.
std::uint64_t resident_bytes();
std::uint64_t virtual_bytes();
std::uint64_t open_descriptors();
std::uint64_t thread_count();
double cpu_seconds();  // of all threads, user and system

}  // namespace hearsay::daemon
