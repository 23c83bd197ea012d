// The local randomizer of a task: one interface to a fixed set of kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "common/channel/laplace.h"
#include "common/channel/sampled.h"
#include "common/channel/strategy.h"

namespace hearsay {

// Immutable. Thread-safety: any number of threads may share a channel.
class Channel {
 public:
  // Errors: those of create() of the channel that `spec` names.
  static Result<Channel> create(const ChannelSpec& spec, const Arrangement& arrangement, const Epsilon& epsilon);

  explicit Channel(LaplaceChannel channel) : kind_(std::move(channel)) {}
  explicit Channel(SampledChannel channel) : kind_(std::move(channel)) {}
  explicit Channel(StrategyChannel channel) : kind_(std::move(channel)) {}
  // Not inline, since g++ 12 would warn, wrongly, that the variant holds uninitialized memory.
  Channel(const Channel& other);
  Channel(Channel&& other) noexcept;
  Channel& operator=(const Channel& other);
  Channel& operator=(Channel&& other) noexcept;
  ~Channel();

  std::size_t payload_size() const;
  // Randomizes the record and returns one payload. Draws the randomness before it looks at the record. Throws
  // EntropyError.
  std::vector<std::uint8_t> randomize(const Arrangement& arrangement, const Record& record, BitSource& bits) const;
  // Checks that an honest client can have sent this payload. Errors: kReportWrongSize, kReportOutOfBounds.
  Result<void> check(std::span<const std::uint8_t> payload) const;

  const std::variant<LaplaceChannel, SampledChannel, StrategyChannel>& kind() const { return kind_; }

 private:
  std::variant<LaplaceChannel, SampledChannel, StrategyChannel> kind_;
};

}  // namespace hearsay
