#include "common/channel/channel.h"

#include <openssl/crypto.h>

#include "common/base/try.h"

namespace hearsay {

std::uint64_t Tally::reports() const {
  return std::visit([](const auto& tally) { return tally.reports; }, kind_);
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
  HEARSAY_TRY(LaplaceTally tally, LaplaceTally::decode(bytes));
  return Tally(std::move(tally));
}

Result<Channel> Channel::create(const ChannelSpec& spec, const Arrangement& arrangement, const Epsilon& epsilon) {
  const auto* laplace = std::get_if<LaplaceSpec>(&spec);
  if (laplace == nullptr) {
    return Error{ErrorCode::kUnsupported, "this build implements no channel but `laplace`"};
  }
  HEARSAY_TRY(LaplaceChannel channel, LaplaceChannel::create(*laplace, arrangement, epsilon));
  return Channel(std::move(channel));
}

std::size_t Channel::payload_size() const {
  return std::visit([](const auto& channel) { return channel.payload_size(); }, kind_);
}

std::vector<std::uint8_t> Channel::randomize(const Arrangement& arrangement, const Record& record,
                                             BitSource& bits) const {
  const auto& channel = std::get<LaplaceChannel>(kind_);
  // Drawn first: how long the draw takes, and whether it fails, cannot depend on the record.
  std::vector<std::int64_t> noise(channel.coordinates());
  channel.draw_noise(bits, noise);

  std::vector<std::int8_t> embedding(arrangement.dimension());
  arrangement.encode(record, embedding);
  std::vector<std::int32_t> y(channel.coordinates());
  channel.add_noise(embedding, noise, y);
  std::vector<std::uint8_t> payload(channel.payload_size());
  channel.pack(y, payload);
  // The report without its noise is the record.
  OPENSSL_cleanse(noise.data(), noise.size() * sizeof(noise[0]));
  OPENSSL_cleanse(embedding.data(), embedding.size());
  return payload;
}

Result<void> Channel::check(std::span<const std::uint8_t> payload) const {
  const auto& channel = std::get<LaplaceChannel>(kind_);
  std::vector<std::int32_t> y(channel.coordinates());
  return channel.unpack(payload, y);
}

Tally Channel::empty_tally() const { return Tally(LaplaceTally(std::get<LaplaceChannel>(kind_).coordinates())); }

Result<void> Channel::add(std::span<const std::uint8_t> payload, Tally& tally) const {
  const auto& channel = std::get<LaplaceChannel>(kind_);
  auto& sums = std::get<LaplaceTally>(tally.kind_);
  if (sums.sum.size() != channel.coordinates()) {
    return Error{ErrorCode::kInvalidArgument, "the tally is not one of this channel"};
  }
  std::vector<std::int32_t> y(channel.coordinates());
  HEARSAY_CHECK_OK(channel.unpack(payload, y));
  if (sums.reports == LaplaceTally::kMaxReports) {
    return Error{ErrorCode::kOverflow, "a tally holds at most 2^32 reports"};
  }
  sums.add(y);
  return {};
}

}  // namespace hearsay
