#include "aggregator/tally/tally.h"

#include <vector>

#include "aggregator/tally/encoding.h"
#include "common/base/try.h"

namespace hearsay::tally {
namespace {

static_assert(Tally::kMaxReports == LaplaceTally::kMaxReports && Tally::kMaxReports == SampledTally::kMaxReports);

using Payloads = std::span<const std::span<const std::uint8_t>>;

Error foreign() { return {ErrorCode::kInvalidArgument, "the tally is not one of this channel"}; }

Result<void> add_reports(const LaplaceChannel& channel, Payloads payloads, LaplaceTally& tally) {
  if (tally.sum.size() != channel.coordinates()) return foreign();
  LaplaceTally added(channel.coordinates());
  std::vector<std::int32_t> y(channel.coordinates());
  for (const auto& payload : payloads) {
    HEARSAY_CHECK_OK(channel.unpack(payload, y));
    added.add(y);
  }
  return tally.merge(added);
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

// Counts output k of `strategy` as the answer 0 to group k.
Result<void> add_reports(const StrategyChannel& channel, Payloads payloads, SampledTally& tally) {
  std::vector<SampledTally::Entry> entries;
  entries.reserve(payloads.size());
  for (const auto& payload : payloads) {
    const auto output = channel.try_unpack(payload);
    if (!output) return channel.check(payload);
    entries.push_back({*output, 0, 1});
  }
  tally.add_all(entries);
  return {};
}

template <class OneChannel, class OneTally>
Result<void> add_reports(const OneChannel&, Payloads, OneTally&) {
  return foreign();
}

}  // namespace

Tally Tally::empty(const Channel& channel) {
  const auto* laplace = std::get_if<LaplaceChannel>(&channel.kind());
  return laplace != nullptr ? Tally(LaplaceTally(laplace->coordinates())) : Tally(SampledTally());
}

std::uint64_t Tally::reports() const {
  if (const auto* laplace = std::get_if<LaplaceTally>(&kind_)) return laplace->reports;
  return std::get<SampledTally>(kind_).reports();
}

Result<void> Tally::add(const Channel& channel, std::span<const std::uint8_t> payload) {
  return add_all(channel, std::span(&payload, 1));
}

Result<void> Tally::add_all(const Channel& channel, Payloads payloads) {
  if (payloads.size() > kMaxReports - reports()) {
    return Error{ErrorCode::kOverflow, "a tally holds at most 2^32 reports"};
  }
  return std::visit([&](const auto& one, auto& counts) { return add_reports(one, payloads, counts); }, channel.kind(),
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
  if (!bytes.empty() && bytes[0] == kKindSampled) {
    HEARSAY_TRY(SampledTally tally, SampledTally::decode(bytes));
    return Tally(std::move(tally));
  }
  HEARSAY_TRY(LaplaceTally tally, LaplaceTally::decode(bytes));
  return Tally(std::move(tally));
}

}  // namespace hearsay::tally
