// Overwrites memory that must not keep its content.
#pragma once

#include <cstddef>

namespace hearsay {

// Zeroes the bytes. The compiler does not remove the call, even if nothing reads the memory afterwards.
void cleanse(void* memory, std::size_t size) noexcept;

}  // namespace hearsay
