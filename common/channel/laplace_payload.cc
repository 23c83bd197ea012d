// The payload described in format.md, sections 1 to 5.

#include <algorithm>

#include "common/base/try.h"
#include "common/channel/laplace.h"
#include "common/channel/laplace_kernels.h"
#include "common/channel/laplace_sums.h"

namespace hearsay {
namespace {

std::uint32_t zigzag(std::int32_t y) {
  const auto bits = static_cast<std::uint32_t>(y);
  return (bits << 1U) ^ (y < 0 ? ~std::uint32_t{0} : 0);
}

Error out_of_bounds(const char* what) { return {ErrorCode::kReportOutOfBounds, what}; }

}  // namespace

// At most 7 bits wait when a code of at most 32 comes in, so 64 bits hold them.
void LaplaceChannel::pack(std::span<const std::int32_t> y, std::span<std::uint8_t> payload) const {
  std::uint64_t waiting = 0;
  unsigned count = 0;
  std::size_t next = 0;
  for (std::size_t j = 0; j < coordinates_.size(); ++j) {
    waiting |= std::uint64_t{zigzag(y[j])} << count;
    count += coordinates_[j].width;
    for (; count >= 8; count -= 8, waiting >>= 8U) payload[next++] = static_cast<std::uint8_t>(waiting);
  }
  if (count > 0) payload[next] = static_cast<std::uint8_t>(waiting);
}

Result<void> LaplaceChannel::unpack(std::span<const std::uint8_t> payload, std::span<std::int32_t> y) const {
  if (payload.size() != payload_size_) {
    return Error{ErrorCode::kReportWrongSize, "the payload's size is not the one that the task gives all its reports"};
  }
  std::uint64_t waiting = 0;
  unsigned count = 0;
  std::size_t next = 0;
  for (std::size_t j = 0; j < coordinates_.size(); ++j) {
    const Coordinate& coordinate = coordinates_[j];
    for (; count < coordinate.width; count += 8) waiting |= std::uint64_t{payload[next++]} << count;
    const std::uint64_t code = waiting & ((std::uint64_t{1} << coordinate.width) - 1);
    if (code > 2 * static_cast<std::uint64_t>(coordinate.bound)) {
      return out_of_bounds("a coordinate of the payload is beyond its bound");
    }
    y[j] = from_zigzag(static_cast<std::uint32_t>(code));
    waiting >>= coordinate.width;
    count -= coordinate.width;
  }
  if (waiting != 0) return out_of_bounds("a padding bit of the payload is set");
  return {};
}

// A payload that the loops refuse is given to unpack(), which says why.
Result<void> LaplaceChannel::check(std::span<const std::uint8_t> payload) const {
  if (payload.size() == payload_size_ && (payload.empty() || (payload.back() & plan_->padding) == 0) &&
      laplace_kernels().back().check(*plan_, payload.data())) {
    return {};
  }
  std::vector<std::int32_t> y(coordinates());
  return unpack(payload, y);
}

Result<void> LaplaceChannel::add_all(std::span<const std::span<const std::uint8_t>> payloads,
                                     LaplaceTally& tally) const {
  const LaplaceKernels& kernels = laplace_kernels().back();
  LaplaceTally added(coordinates());
  LaplaceSums sums(kernels, plan_->pitch, plan_->bound, added);
  std::vector<std::int32_t> rows(std::min(sums.block_rows(), payloads.size()) * plan_->pitch);
  while (!payloads.empty()) {
    const auto block = payloads.first(std::min(sums.block_rows(), payloads.size()));
    std::int32_t* row = rows.data();
    for (const auto& payload : block) {
      const bool good = payload.size() == payload_size_ && (payload.back() & plan_->padding) == 0 &&
                        kernels.unpack(*plan_, payload.data(), row);
      if (!good) return check(payload);
      row += plan_->pitch;
    }
    sums.add(rows.data(), block.size(), plan_->pitch);
    added.reports += block.size();
    payloads = payloads.subspan(block.size());
  }
  sums.flush();
  return tally.merge(added);
}

}  // namespace hearsay
