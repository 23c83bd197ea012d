#include <doctest/doctest.h>

#include <vector>

#include "aggregator/tally/tally.h"
#include "tests/support/bit_sources.h"
#include "tests/support/sampled_cases.h"

namespace hearsay::tally {
namespace {

using tests::all_sampled_cases;
using tests::sampled_cases;
using tests::SampledCase;
using tests::SampledParts;
using Bytes = std::vector<std::uint8_t>;

TEST_CASE("a client's payload is the packed answer to the drawn group, and is counted") {
  for (const SampledCase& c : all_sampled_cases()) {
    CAPTURE(c.name);
    const SampledParts parts = SampledParts::create(c, "0.7");
    const SampledChannel& channel = parts.sampled();
    tests::CounterBitSource bits(c.name);
    tests::CounterBitSource same_bits(c.name);
    Tally tally = Tally::empty(parts.channel());
    SampledTally expected;
    for (const Record& record : tests::all_records(parts.schema())) {
      for (int repeat = 0; repeat < 20; ++repeat) {
        const Bytes payload = parts.channel().randomize(parts.arrangement(), record, bits);
        const auto draw = channel.draw(same_bits);
        const auto answer = channel.unpack(payload);
        REQUIRE(answer);
        REQUIRE(answer->group == draw.group);
        REQUIRE(answer->answer == channel.answer(draw, record));
        REQUIRE(parts.channel().check(payload));
        REQUIRE(tally.add(parts.channel(), payload));
        expected.add(answer->group, answer->answer);
      }
    }
    CHECK(tally == Tally(expected));
    CHECK(tally.reports() == 20 * parts.schema().universe_size().value());
  }
}

TEST_CASE(
    "a malformed payload does not change the tally, and no payload changes a tally of another kind or a full tally") {
  const SampledParts parts = SampledParts::create(sampled_cases()[12], "1");
  const Bytes payload(parts.channel().payload_size(), 0);
  Tally laplace{LaplaceTally(parts.arrangement().dimension())};
  const auto foreign = laplace.add(parts.channel(), payload);
  REQUIRE_FALSE(foreign);
  CHECK(foreign.error().code == ErrorCode::kInvalidArgument);
  CHECK(laplace.reports() == 0);

  Tally tally = Tally::empty(parts.channel());
  const auto out_of_bounds = tally.add(parts.channel(), Bytes(payload.size(), 0xff));
  REQUIRE_FALSE(out_of_bounds);
  CHECK(out_of_bounds.error().code == ErrorCode::kReportOutOfBounds);
  CHECK(tally.reports() == 0);

  REQUIRE(tally.add(parts.channel(), payload));
  for (int i = 0; i < 32; ++i) REQUIRE(tally.merge(Tally(tally)));
  const Tally full = tally;
  const auto overflow = tally.add(parts.channel(), payload);
  REQUIRE_FALSE(overflow);
  CHECK(overflow.error().code == ErrorCode::kOverflow);
  CHECK(tally == full);
}

}  // namespace
}  // namespace hearsay::tally
