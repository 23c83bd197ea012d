#include "aggregator/tally/tally.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/support/bit_sources.h"
#include "tests/support/laplace_channels.h"

namespace hearsay::tally {
namespace {

using tests::laplace_channels;
using tests::laplace_payload;
using tests::NamedLaplaceChannel;
using Payload = std::vector<std::uint8_t>;

std::vector<std::span<const std::uint8_t>> views(const std::vector<Payload>& payloads) {
  return {payloads.begin(), payloads.end()};
}

LaplaceTally added_one_by_one(const LaplaceChannel& channel, const std::vector<Payload>& payloads) {
  LaplaceTally tally(channel.coordinates());
  std::vector<std::int32_t> y(channel.coordinates());
  for (const Payload& payload : payloads) {
    REQUIRE(channel.unpack(payload, y));
    tally.add(y);
  }
  return tally;
}

TEST_CASE("payloads add up to the same tally, in runs of any length") {
  tests::CounterBitSource bits("sums");
  for (const NamedLaplaceChannel& named : laplace_channels()) {
    CAPTURE(named.name);
    const LaplaceChannel& laplace = named.channel;
    std::vector<Payload> payloads;
    const std::size_t count = laplace.coordinates() > 64 ? 41 : 700;
    for (std::size_t i = 0; i < count; ++i) payloads.push_back(laplace_payload(laplace, bits));
    const Channel channel(laplace);
    Tally tally = Tally::empty(channel);
    const auto all = views(payloads);
    for (std::size_t at = 0, run = 0; at < all.size(); at += run) {
      run = std::min<std::size_t>(bits.bits(9), all.size() - at);
      REQUIRE(tally.add_all(channel, std::span(all).subspan(at, run)));
    }
    CHECK(std::get<LaplaceTally>(tally.kind()) == added_one_by_one(laplace, payloads));
  }
}

TEST_CASE("if one payload of a run is refused, the run changes nothing") {
  tests::CounterBitSource bits("refused");
  const LaplaceChannel channel = tests::laplace_with_scales(std::vector<Rational>(17, tests::scale_of(34, 1)));
  const Channel whole(channel);
  std::vector<Payload> payloads;
  for (int i = 0; i < 600; ++i) payloads.push_back(laplace_payload(channel, bits));
  Tally tally = Tally::empty(whole);
  REQUIRE(tally.add_all(whole, views(payloads)));
  const Tally before = tally;
  for (const std::size_t bad : {0U, 1U, 299U, 599U}) {
    std::vector<Payload> spoilt = payloads;
    spoilt[bad].assign(channel.payload_size(), 0xff);
    CHECK(tally.add_all(whole, views(spoilt)).error().code == ErrorCode::kReportOutOfBounds);
    spoilt[bad].pop_back();
    CHECK(tally.add_all(whole, views(spoilt)).error().code == ErrorCode::kReportWrongSize);
    CHECK(tally == before);
  }
  Tally other = Tally(LaplaceTally(16));
  CHECK(other.add_all(whole, views(payloads)).error().code == ErrorCode::kInvalidArgument);
  CHECK(tally.add_all(whole, {}));
  CHECK(tally == before);
}

}  // namespace
}  // namespace hearsay::tally
