// Every set of loops that this processor runs against unpack() and LaplaceTally::add().

#include "common/channel/laplace_kernels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/channel/channel.h"
#include "common/channel/laplace_sums.h"
#include "tests/support/bit_sources.h"
#include "tests/support/small_domains.h"

namespace hearsay {
namespace {

using Payload = std::vector<std::uint8_t>;

LaplaceChannel with_scales(const std::vector<Rational>& scales) {
  const auto schema = tests::schema_of("r" + std::to_string(scales.size() + 1));
  const Arrangement arrangement = Arrangement::create(LiteralsSpec{}, schema).value();
  return LaplaceChannel::create(LaplaceSpec{}, arrangement, Epsilon::parse("1").value())
      .value()
      .with_scales(scales)
      .value();
}

Rational scale_of(std::uint64_t num, std::uint64_t den) { return Rational::create(num, den).value(); }

struct Named {
  std::string name;
  LaplaceChannel channel;
};

// Sizes around whole groups and around payloads of 16 bytes, with equal widths from 3 bits to 32, and mixed ones.
std::vector<Named> channels() {
  std::vector<Named> all;
  for (const std::size_t d : {1U, 2U, 3U, 5U, 7U, 8U, 9U, 15U, 16U, 17U, 23U, 24U, 31U, 64U, 65U, 200U, 1025U}) {
    for (unsigned log2 = 0; log2 <= 24; log2 += d > 64 ? 6 : 1) {
      all.push_back({"d " + std::to_string(d) + ", scale 2^" + std::to_string(log2),
                     with_scales(std::vector<Rational>(d, scale_of(std::uint64_t{1} << log2, 1)))});
    }
    std::vector<Rational> mixed;
    std::vector<Rational> blocks;
    for (std::size_t j = 0; j < d; ++j) {
      mixed.push_back(scale_of(std::uint64_t{1} << (j * 7 % 25), 3));
      blocks.push_back(scale_of(std::uint64_t{1} << (j / 11 % 18), 1));
    }
    all.push_back({"d " + std::to_string(d) + ", mixed", with_scales(mixed)});
    all.push_back({"d " + std::to_string(d) + ", blocks", with_scales(blocks)});
  }
  return all;
}

// Uniform within the bounds, or at the ends of every coordinate.
Payload payload_of(const LaplaceChannel& channel, BitSource& bits) {
  std::vector<std::int32_t> y(channel.coordinates());
  const std::uint64_t shape = bits.bits(2);
  for (std::size_t j = 0; j < y.size(); ++j) {
    const std::int64_t bound = channel.bound(j);
    const auto span = static_cast<std::uint64_t>(2 * bound + 1);
    std::int64_t value = static_cast<std::int64_t>(bits.bits(40) % span) - bound;
    if (shape == 1) value = bits.bits(1) == 0 ? bound : -bound;
    if (shape == 2) value = -bound;
    if (shape == 3) value = bound;
    y[j] = static_cast<std::int32_t>(value);
  }
  Payload payload(channel.payload_size());
  channel.pack(y, payload);
  return payload;
}

std::vector<std::span<const std::uint8_t>> views(const std::vector<Payload>& payloads) {
  return {payloads.begin(), payloads.end()};
}

bool padding_clear(const UnpackPlan& plan, const Payload& payload) { return (payload.back() & plan.padding) == 0; }

TEST_CASE("the processor's loops are among those tested") {
  REQUIRE(laplace_kernels().size() >= 1);
  CHECK(std::string(laplace_kernels()[0].name) == "plain");
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) CHECK(std::string(laplace_kernels().back().name) == "avx2");
#endif
}

// A payload of the exact size on the heap, so that the address sanitizer sees a read past its end. Random bytes are
// mostly beyond some bound; with one bit flipped a valid payload is at the edge.
TEST_CASE("all loops accept and unpack what unpack() does") {
  tests::CounterBitSource bits("kernels");
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (const auto& named : channels()) {
    const auto& name = named.name;
    const auto& channel = named.channel;
    CAPTURE(name);
    const UnpackPlan& plan = channel.unpack_plan();
    REQUIRE(plan.payload_size == channel.payload_size());
    for (int i = 0; i < 12; ++i) {
      Payload payload = payload_of(channel, bits);
      if (i % 3 == 1) payload[bits.bits(20) % payload.size()] ^= static_cast<std::uint8_t>(1U << bits.bits(3));
      if (i % 3 == 2) bits.fill(payload);
      std::vector<std::int32_t> y(channel.coordinates());
      const auto expected = channel.unpack(payload, y);
      y.resize(plan.pitch, 0);
      ++(expected ? accepted : refused);
      CHECK(static_cast<bool>(channel.check(payload)) == static_cast<bool>(expected));
      if (!expected) CHECK(channel.check(payload).error().message == expected.error().message);
      for (const LaplaceKernels& kernels : laplace_kernels()) {
        CAPTURE(kernels.name);
        std::vector<std::int32_t> out(plan.pitch, -1);
        const bool good = kernels.unpack(plan, payload.data(), out.data());
        CHECK(kernels.check(plan, payload.data()) == good);
        CHECK((good && padding_clear(plan, payload)) == static_cast<bool>(expected));
        if (expected) CHECK(out == y);
      }
    }
  }
  CHECK(accepted > 1000);
  CHECK(refused > 1000);
}

// The one code just above the limit, at every coordinate, and every padding bit.
TEST_CASE("the first invalid code is refused at every place") {
  for (const auto& named : channels()) {
    const auto& name = named.name;
    const auto& channel = named.channel;
    CAPTURE(name);
    const UnpackPlan& plan = channel.unpack_plan();
    Payload valid(channel.payload_size(), 0);
    std::size_t bit = 0;
    bool all_good = true;
    for (const UnpackPlan::Code& code : plan.codes) {
      for (const std::uint64_t above : {0U, 1U}) {
        const std::uint64_t value = code.limit + above;
        if (value >> code.width != 0) continue;
        Payload payload = valid;
        for (std::uint32_t i = 0; i < code.width; ++i) {
          if ((value >> i & 1U) != 0) payload[(bit + i) / 8] |= static_cast<std::uint8_t>(1U << ((bit + i) % 8));
        }
        for (const LaplaceKernels& kernels : laplace_kernels()) {
          all_good &= kernels.check(plan, payload.data()) == (above == 0);
        }
      }
      bit += code.width;
    }
    CHECK(all_good);
    for (; bit < 8 * channel.payload_size(); ++bit) {
      Payload payload = valid;
      payload.back() = static_cast<std::uint8_t>(1U << (bit % 8));
      CHECK_FALSE(channel.check(payload));
    }
  }
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

TEST_CASE("all loops add up to the tally of add(), whatever the runs") {
  tests::CounterBitSource bits("sums");
  for (const auto& named : channels()) {
    const auto& name = named.name;
    const auto& channel = named.channel;
    CAPTURE(name);
    std::vector<Payload> payloads;
    const std::size_t count = channel.coordinates() > 64 ? 41 : 700;
    for (std::size_t i = 0; i < count; ++i) payloads.push_back(payload_of(channel, bits));
    const LaplaceTally expected = added_one_by_one(channel, payloads);

    Tally tally = Tally(LaplaceTally(channel.coordinates()));
    const Channel whole(channel);
    const auto all = views(payloads);
    for (std::size_t at = 0, run = 0; at < all.size(); at += run) {
      run = std::min<std::size_t>(bits.bits(9), all.size() - at);
      REQUIRE(whole.add_all(std::span(all).subspan(at, run), tally));
    }
    CHECK(std::get<LaplaceTally>(tally.kind()) == expected);

    std::vector<std::int32_t> rows;
    for (const Payload& payload : payloads) {
      std::vector<std::int32_t> y(channel.coordinates());
      REQUIRE(channel.unpack(payload, y));
      rows.insert(rows.end(), y.begin(), y.end());
    }
    const std::uint32_t bound = channel.unpack_plan().bound;
    LaplaceTally by_rows(channel.coordinates());
    by_rows.add_rows(rows, bound);
    CHECK(by_rows == expected);

    for (const LaplaceKernels& kernels : laplace_kernels()) {
      CAPTURE(kernels.name);
      LaplaceTally tally_of_kernels(channel.coordinates());
      LaplaceSums sums(kernels, channel.coordinates(), bound, tally_of_kernels);
      for (std::size_t at = 0; at < count; at += sums.block_rows()) {
        sums.add(rows.data() + at * channel.coordinates(), std::min(sums.block_rows(), count - at),
                 channel.coordinates());
      }
      sums.flush();
      tally_of_kernels.reports = count;
      CHECK(tally_of_kernels == expected);
    }
  }
}

// At the bound, so that every partial sum is as large as it gets: of the 16-bit loops (bounds below 2^15), of squares
// in 32 bits (count·bound² around 2^32), of sums in 32 bits and of squares in 64.
TEST_CASE("partial sums do not overflow at their largest") {
  constexpr std::uint32_t kTop = (1U << 31U) - 1;
  for (const std::uint32_t bound : {1U, 181U, 255U, 256U, 1448U, 11'585U, 16'383U, 23'170U, 32'766U, 32'767U, 32'768U,
                                    46'341U, 65'535U, 65'536U, 1U << 24U, 1U << 28U, 1U << 30U, kTop - 1, kTop}) {
    for (const std::size_t d : {1U, 8U, 17U, 64U}) {
      for (const int sign : {1, -1}) {
        CAPTURE(bound);
        CAPTURE(d);
        const std::size_t count = 5003;
        const std::vector<std::int32_t> rows(count * d, sign * static_cast<std::int32_t>(bound));
        LaplaceTally expected(d);
        expected.reports = count;
        std::fill(expected.sum.begin(), expected.sum.end(), sign * static_cast<std::int64_t>(count * bound));
        std::fill(expected.sum_of_squares.begin(), expected.sum_of_squares.end(), Uint128{bound} * bound * count);
        LaplaceTally tally(d);
        tally.add_rows(rows, bound);
        CHECK(tally == expected);
      }
    }
  }
}

TEST_CASE("a run with one payload that is refused changes nothing") {
  tests::CounterBitSource bits("refused");
  const LaplaceChannel channel = with_scales(std::vector<Rational>(17, scale_of(34, 1)));
  const Channel whole(channel);
  std::vector<Payload> payloads;
  for (int i = 0; i < 600; ++i) payloads.push_back(payload_of(channel, bits));
  Tally tally = whole.empty_tally();
  REQUIRE(whole.add_all(views(payloads), tally));
  const Tally before = tally;
  for (const std::size_t bad : {0U, 1U, 299U, 599U}) {
    std::vector<Payload> spoilt = payloads;
    spoilt[bad].assign(channel.payload_size(), 0xff);
    CHECK(whole.add_all(views(spoilt), tally).error().code == ErrorCode::kReportOutOfBounds);
    spoilt[bad].pop_back();
    CHECK(whole.add_all(views(spoilt), tally).error().code == ErrorCode::kReportWrongSize);
    CHECK(tally == before);
  }
  Tally other = Tally(LaplaceTally(16));
  CHECK(whole.add_all(views(payloads), other).error().code == ErrorCode::kInvalidArgument);
  CHECK(whole.add_all({}, tally));
  CHECK(tally == before);
}

}  // namespace
}  // namespace hearsay
