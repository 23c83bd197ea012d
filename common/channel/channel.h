// The local randomizer of a task: a closed set of kinds behind one interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/channel/laplace.h"
#include "common/channel/sampled.h"
#include "common/channel/sampled_tally.h"
#include "common/channel/tally.h"

namespace hearsay {

// Tally of whichever kind of channel.
class Tally {
 public:
  static constexpr std::uint64_t kMaxReports = std::uint64_t{1} << 32U;  // of every kind

  explicit Tally(LaplaceTally tally) : kind_(std::move(tally)) {}
  explicit Tally(SampledTally tally) : kind_(std::move(tally)) {}

  std::uint64_t reports() const;
  Result<void> merge(const Tally& other);  // kInvalidArgument if of another kind or shape, kOverflow
  std::string encode() const;
  static Result<Tally> decode(std::string_view bytes);  // kStoreCorrupt

  const std::variant<LaplaceTally, SampledTally>& kind() const { return kind_; }
  bool operator==(const Tally&) const = default;

 private:
  friend class Channel;
  std::variant<LaplaceTally, SampledTally> kind_;
};

// Immutable and safe to share between threads.
class Channel {
 public:
  // Errors: those of the kind's own create().
  static Result<Channel> create(const ChannelSpec& spec, const Arrangement& arrangement, const Epsilon& epsilon);

  explicit Channel(LaplaceChannel channel) : kind_(std::move(channel)) {}
  explicit Channel(SampledChannel channel) : kind_(std::move(channel)) {}
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

  Tally empty_tally() const;
  // Adds a payload that passes check(); errors as check(), kInvalidArgument (a tally of another kind or shape) and
  // kOverflow, and then the tally is unchanged.
  Result<void> add(std::span<const std::uint8_t> payload, Tally& tally) const;
  // Adds all of the payloads, or none: the errors of add(), for the whole run, and then the tally is unchanged. The
  // tally is the one that add() of each makes, whatever their order and however they are split into runs. Cheaper than
  // as many calls of add() from about 16 payloads on. The payloads may overlap.
  Result<void> add_all(std::span<const std::span<const std::uint8_t>> payloads, Tally& tally) const;

  const std::variant<LaplaceChannel, SampledChannel>& kind() const { return kind_; }

 private:
  std::variant<LaplaceChannel, SampledChannel> kind_;
};

}  // namespace hearsay
