// What the opaque handles of the C interface hold.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hearsay/hearsay.h"
#include "hearsay/task.h"

// The kinds are random numbers, which other objects rarely begin with.
struct hearsay_buffer {
  static constexpr std::uint64_t kKind = 0x9d1f6a3c70e2b845;
  std::uint64_t kind = kKind;
  std::size_t size = 0;
  std::vector<std::uint8_t> bytes;  // `size` of them, and a zero byte
};

struct hearsay_task {
  static constexpr std::uint64_t kKind = 0x3be871d5c4960fa2;
  std::uint64_t kind = kKind;
  hearsay::Task task;
};
