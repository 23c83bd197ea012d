#include "common/channel/channel.h"

#include <openssl/crypto.h>

#include "common/base/try.h"

namespace hearsay {
namespace {

static_assert(Tally::kMaxReports == LaplaceTally::kMaxReports && Tally::kMaxReports == SampledTally::kMaxReports);

// A set of lambdas, one for each kind.
template <class... Kinds>
struct Overloaded : Kinds... {
  using Kinds::operator()...;
};
template <class... Kinds>
Overloaded(Kinds...) -> Overloaded<Kinds...>;

using Payload = std::vector<std::uint8_t>;

Payload randomize_with(const LaplaceChannel& channel, const Arrangement& arrangement, const Record& record,
                       BitSource& bits) {
  // Drawn first: how long the draw takes, and whether it fails, cannot depend on the record.
  std::vector<std::int64_t> noise(channel.coordinates());
  channel.draw_noise(bits, noise);

  std::vector<std::int8_t> embedding(arrangement.dimension());
  arrangement.encode(record, embedding);
  std::vector<std::int32_t> y(channel.coordinates());
  channel.add_noise(embedding, noise, y);
  Payload payload(channel.payload_size());
  channel.pack(y, payload);
  // The report without its noise is the record.
  OPENSSL_cleanse(noise.data(), noise.size() * sizeof(noise[0]));
  OPENSSL_cleanse(embedding.data(), embedding.size());
  return payload;
}

Payload randomize_with(const SampledChannel& channel, const Arrangement& /*arrangement*/, const Record& record,
                       BitSource& bits) {
  SampledChannel::Draw draw = channel.draw(bits);
  Payload payload(channel.payload_size());
  channel.pack(draw.group, channel.answer(draw, record), payload);
  // Whoever knows the coin knows whether the answer is true.
  OPENSSL_cleanse(&draw, sizeof(draw));
  return payload;
}

using Payloads = std::span<const std::span<const std::uint8_t>>;

Result<void> add_reports(const LaplaceChannel& channel, Payloads payloads, LaplaceTally& tally) {
  if (tally.sum.size() != channel.coordinates()) {
    return Error{ErrorCode::kInvalidArgument, "the tally is not one of this channel"};
  }
  return channel.add_all(payloads, tally);
}

Result<void> add_reports(const SampledChannel& channel, Payloads payloads, SampledTally& tally) {
  std::vector<SampledTally::Entry> entries;
  entries.reserve(payloads.size());
  for (const auto& payload : payloads) {
    const auto answer = channel.try_unpack(payload);
    if (!answer) return channel.check(payload);
    entries.push_back({answer->group, answer->answer, 1});
  }
  tally.add_all(entries);
  return {};
}

template <class OneChannel, class OneTally>
Result<void> add_reports(const OneChannel&, Payloads, OneTally&) {
  return Error{ErrorCode::kInvalidArgument, "the tally is not one of this kind of channel"};
}

}  // namespace

std::uint64_t Tally::reports() const {
  return std::visit(Overloaded{[](const LaplaceTally& tally) { return tally.reports; },
                               [](const SampledTally& tally) { return tally.reports(); }},
                    kind_);
}

Result<void> Tally::merge(const Tally& other) {
  return std::visit(
      [&](auto& tally) -> Result<void> {
        const auto* same_kind = std::get_if<std::decay_t<decltype(tally)>>(&other.kind_);
        if (same_kind == nullptr) return Error{ErrorCode::kInvalidArgument, "the tallies are of different kinds"};
        return tally.merge(*same_kind);
      },
      kind_);
}

std::string Tally::encode() const {
  return std::visit([](const auto& tally) { return tally.encode(); }, kind_);
}

Result<Tally> Tally::decode(std::string_view bytes) {
  constexpr char kKindSampled = 2;
  if (!bytes.empty() && bytes[0] == kKindSampled) {
    HEARSAY_TRY(SampledTally tally, SampledTally::decode(bytes));
    return Tally(std::move(tally));
  }
  HEARSAY_TRY(LaplaceTally tally, LaplaceTally::decode(bytes));
  return Tally(std::move(tally));
}

Result<Channel> Channel::create(const ChannelSpec& spec, const Arrangement& arrangement, const Epsilon& epsilon) {
  if (const auto* sampled = std::get_if<SampledSpec>(&spec)) {
    HEARSAY_TRY(SampledChannel channel, SampledChannel::create(*sampled, arrangement, epsilon));
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

Tally Channel::empty_tally() const {
  return std::visit(Overloaded{[](const LaplaceChannel& channel) { return Tally(LaplaceTally(channel.coordinates())); },
                               [](const SampledChannel&) { return Tally(SampledTally()); }},
                    kind_);
}

Result<void> Channel::add(std::span<const std::uint8_t> payload, Tally& tally) const {
  return add_all(std::span(&payload, 1), tally);
}

Result<void> Channel::add_all(std::span<const std::span<const std::uint8_t>> payloads, Tally& tally) const {
  if (payloads.size() > Tally::kMaxReports - tally.reports()) {
    return Error{ErrorCode::kOverflow, "a tally holds at most 2^32 reports"};
  }
  return std::visit([&](const auto& channel, auto& counts) { return add_reports(channel, payloads, counts); }, kind_,
                    tally.kind_);
}

}  // namespace hearsay
