// The plain loops, and the choice among all.

#include "common/channel/laplace_kernels.h"

#include <array>
#include <vector>

#include "common/channel/laplace_kernels_avx2.h"

namespace hearsay {
namespace {

// At most 31 bits wait when another byte is needed for a code of at most 32, so 64 bits hold them.
template <class Take>
bool for_each_code(const UnpackPlan& plan, const std::uint8_t* payload, const Take& take) {
  std::uint64_t waiting = 0;
  unsigned count = 0;
  bool valid = true;
  for (std::size_t j = 0; j < plan.codes.size(); ++j) {
    const UnpackPlan::Code code = plan.codes[j];
    for (; count < code.width; count += 8) waiting |= std::uint64_t{*payload++} << count;
    const auto value = static_cast<std::uint32_t>(waiting & ((std::uint64_t{1} << code.width) - 1));
    valid &= value <= code.limit;
    take(j, value);
    waiting >>= code.width;
    count -= code.width;
  }
  return valid;
}

bool check(const UnpackPlan& plan, const std::uint8_t* payload) {
  return for_each_code(plan, payload, [](std::size_t, std::uint32_t) {});
}

bool unpack(const UnpackPlan& plan, const std::uint8_t* payload, std::int32_t* out) {
  for (std::size_t j = plan.codes.size(); j < plan.pitch; ++j) out[j] = 0;
  return for_each_code(plan, payload, [out](std::size_t j, std::uint32_t value) { out[j] = from_zigzag(value); });
}

void add(const Rows& rows, std::uint32_t /*bound*/, std::int64_t* sums, std::uint64_t* squares) {
  for (std::size_t i = 0; i < rows.count; ++i) {
    const std::int32_t* row = rows.first + i * rows.pitch;
    for (std::size_t j = 0; j < rows.columns; ++j) {
      const std::int64_t y = row[j];
      sums[j] += y;
      squares[j] += static_cast<std::uint64_t>(y * y);
    }
  }
}

constexpr LaplaceKernels kPlain{"plain", check, unpack, add};

}  // namespace

std::span<const LaplaceKernels> laplace_kernels() {
  static const std::vector<LaplaceKernels> kernels = [] {
    std::vector<LaplaceKernels> found{kPlain};
    if (const LaplaceKernels* avx2 = avx2_laplace_kernels()) found.push_back(*avx2);
    return found;
  }();
  return kernels;
}

}  // namespace hearsay
