// Overwrites what must not linger in memory.
#pragma once

#include <cstddef>

namespace hearsay {

// Zeroes the bytes. The compiler never leaves the call out, although nothing reads the memory afterwards.
void cleanse(void* memory, std::size_t size) noexcept;

}  // namespace hearsay
