// The local randomizer of a task: a closed set of kinds behind one interface.
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

// Immutable and safe to share between threads.
class Channel {
 public:
  // Errors: those of the kind's own create().
  static Result<Channel> create(const ChannelSpec& spec, const Arrangement& arrangement, const Epsilon& epsilon);

  explicit Channel(LaplaceChannel channel) : kind_(std::move(channel)) {}
  explicit Channel(SampledChannel channel) : kind_(std::move(channel)) {}
  explicit Channel(StrategyChannel channel) : kind_(std::move(channel)) {}
  // Not inline: g++ 12 takes the variant's other kind, inlined, for uninitialized memory.
  Channel(const Channel& other);
  Channel(Channel&& other) noexcept;
  Channel& operator=(const Channel& other);
  Channel& operator=(Channel&& other) noexcept;
  ~Channel();

  std::size_t payload_size() const;
  // One randomized payload for the record. The randomness is drawn before the record is looked at. Throws EntropyError.
  std::vector<std::uint8_t> randomize(const Arrangement& arrangement, const Record& record, BitSource& bits) const;
  // Whether an honest client could have sent this. Errors: kReportWrongSize, kReportOutOfBounds.
  Result<void> check(std::span<const std::uint8_t> payload) const;

  const std::variant<LaplaceChannel, SampledChannel, StrategyChannel>& kind() const { return kind_; }

 private:
  std::variant<LaplaceChannel, SampledChannel, StrategyChannel> kind_;
};

}  // namespace hearsay
