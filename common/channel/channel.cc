#include "common/channel/channel.h"

#include "common/base/try.h"
#include "common/random/cleanse.h"

namespace hearsay {
namespace {

using Payload = std::vector<std::uint8_t>;

Payload randomize_with(const LaplaceChannel& channel, const Arrangement& arrangement, const Record& record,
                       BitSource& bits) {
  // Draws the noise first. So neither the time of the draw nor its failure depends on the record.
  std::vector<std::int64_t> noise(channel.coordinates());
  channel.draw_noise(bits, noise);

  std::vector<std::int8_t> embedding(arrangement.dimension());
  arrangement.encode(record, embedding);
  std::vector<std::int32_t> y(channel.coordinates());
  channel.add_noise(embedding, noise, y);
  Payload payload(channel.payload_size());
  channel.pack(y, payload);
  // Overwrites the noise, since the report and the noise together reveal the record.
  cleanse(noise.data(), noise.size() * sizeof(noise[0]));
  cleanse(embedding.data(), embedding.size());
  return payload;
}

Payload randomize_with(const SampledChannel& channel, const Arrangement& /*arrangement*/, const Record& record,
                       BitSource& bits) {
  SampledChannel::Draw draw = channel.draw(bits);
  Payload payload(channel.payload_size());
  channel.pack(draw.group, channel.answer(draw, record), payload);
  // Overwrites the coin, since the coin reveals whether the report carries the true value.
  cleanse(&draw, sizeof(draw));
  return payload;
}

Payload randomize_with(const StrategyChannel& channel, const Arrangement& /*arrangement*/, const Record& record,
                       BitSource& bits) {
  std::uint32_t coin = channel.draw(bits);
  Payload payload(channel.payload_size());
  channel.pack(channel.output(coin, record), payload);
  // Overwrites the coin, since the coin reveals which records give this output.
  cleanse(&coin, sizeof(coin));
  return payload;
}

}  // namespace

Result<Channel> Channel::create(const ChannelSpec& spec, const Arrangement& arrangement, const Epsilon& epsilon) {
  if (const auto* sampled = std::get_if<SampledSpec>(&spec)) {
    HEARSAY_TRY(SampledChannel channel, SampledChannel::create(*sampled, arrangement, epsilon));
    return Channel(std::move(channel));
  }
  if (const auto* strategy = std::get_if<StrategySpec>(&spec)) {
    HEARSAY_TRY(StrategyChannel channel, StrategyChannel::create(*strategy, arrangement, epsilon));
    return Channel(std::move(channel));
  }
  HEARSAY_TRY(LaplaceChannel channel, LaplaceChannel::create(std::get<LaplaceSpec>(spec), arrangement, epsilon));
  return Channel(std::move(channel));
}

Channel::Channel(const Channel& other) = default;
Channel::Channel(Channel&& other) noexcept = default;
Channel& Channel::operator=(const Channel& other) = default;
Channel& Channel::operator=(Channel&& other) noexcept = default;
Channel::~Channel() = default;

std::size_t Channel::payload_size() const {
  return std::visit([](const auto& channel) { return channel.payload_size(); }, kind_);
}

std::vector<std::uint8_t> Channel::randomize(const Arrangement& arrangement, const Record& record,
                                             BitSource& bits) const {
  return std::visit([&](const auto& channel) { return randomize_with(channel, arrangement, record, bits); }, kind_);
}

Result<void> Channel::check(std::span<const std::uint8_t> payload) const {
  return std::visit([&](const auto& channel) { return channel.check(payload); }, kind_);
}

}  // namespace hearsay
