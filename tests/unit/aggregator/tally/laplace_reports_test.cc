#include <doctest/doctest.h>

#include <bit>
#include <string>
#include <vector>

#include "aggregator/tally/tally.h"
#include "tests/support/bit_sources.h"
#include "tests/support/small_domains.h"

namespace hearsay::tally {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Fixture {
  Schema schema;
  Arrangement arrangement;
  Channel channel;

  static Fixture create(const std::string& shape, const std::string& epsilon,
                        LaplaceCalibration calibration = LaplaceCalibration::kTight) {
    Schema schema = tests::schema_of(shape);
    Arrangement arrangement = Arrangement::create(LiteralsSpec{}, schema).value();
    Channel channel =
        Channel::create(LaplaceSpec{calibration, {}}, arrangement, Epsilon::parse(epsilon).value()).value();
    return {std::move(schema), std::move(arrangement), std::move(channel)};
  }

  const LaplaceChannel& laplace() const { return std::get<LaplaceChannel>(channel.kind()); }
};

TEST_CASE("a client's payload is the packed randomization of the record's embedding, and the tally adds it up") {
  for (const auto calibration : {LaplaceCalibration::kTight, LaplaceCalibration::kPaper}) {
    const Fixture f = Fixture::create("b c3 r4", "0.7", calibration);
    Tally tally = Tally::empty(f.channel);
    LaplaceTally expected(f.laplace().coordinates());
    tests::CounterBitSource bits("honest");
    tests::CounterBitSource same_bits("honest");
    for (const Record& record : tests::all_records(f.schema)) {
      const Bytes payload = f.channel.randomize(f.arrangement, record, bits);
      std::vector<std::int8_t> embedding(f.arrangement.dimension());
      f.arrangement.encode(record, embedding);
      std::vector<std::int32_t> y(f.laplace().coordinates());
      f.laplace().randomize(embedding, same_bits, y);
      Bytes packed(f.channel.payload_size());
      f.laplace().pack(y, packed);
      REQUIRE(payload == packed);

      REQUIRE(f.channel.check(payload));
      REQUIRE(tally.add(f.channel, payload));
      expected.add(y);
    }
    CHECK(tally == Tally(expected));
    CHECK(tally.reports() == f.schema.universe_size());
    const auto decoded = Tally::decode(tally.encode());
    REQUIRE(decoded);
    CHECK(*decoded == tally);
  }
}

TEST_CASE("if the source of random bits fails, no report is made") {
  const Fixture f = Fixture::create("b b", "1");
  tests::FailingBitSource bits;
  const Record record = tests::all_records(f.schema)[0];
  CHECK_THROWS_AS(static_cast<void>(f.channel.randomize(f.arrangement, record, bits)), EntropyError);
}

void set_code(Bytes& payload, std::size_t first_bit, unsigned width, std::uint64_t code) {
  for (unsigned i = 0; i < width; ++i) {
    const std::size_t at = first_bit + i;
    const auto mask = static_cast<std::uint8_t>(1U << (at % 8));
    payload[at / 8] =
        static_cast<std::uint8_t>((code >> i & 1U) != 0 ? payload[at / 8] | mask : payload[at / 8] & ~mask);
  }
}

TEST_CASE("a malformed payload gets its error and does not change the tally") {
  const Fixture f = Fixture::create("b c3 r4", "2");
  const LaplaceChannel& laplace = f.laplace();
  Tally tally = Tally::empty(f.channel);
  tests::CounterBitSource bits("corrupt");
  const Record record = tests::all_records(f.schema)[5];
  const Bytes honest = f.channel.randomize(f.arrangement, record, bits);
  REQUIRE(tally.add(f.channel, honest));
  const std::string before = tally.encode();
  const auto refused_with = [&](const Bytes& payload) {
    const auto checked = f.channel.check(payload);
    const auto added = tally.add(f.channel, payload);
    REQUIRE_FALSE(checked);
    REQUIRE_FALSE(added);
    CHECK(tally.encode() == before);
    CHECK(checked.error().code == added.error().code);
    return added.error().code;
  };

  const auto width = static_cast<unsigned>(std::bit_width(2 * static_cast<std::uint64_t>(laplace.bound(0))));
  const std::size_t used = width * laplace.coordinates();
  REQUIRE(used % 8 != 0);
  for (std::size_t bit = used; bit < 8 * honest.size(); ++bit) {
    Bytes payload = honest;
    set_code(payload, bit, 1, 1);
    CHECK(refused_with(payload) == ErrorCode::kReportOutOfBounds);
  }
  for (std::size_t j = 0; j < laplace.coordinates(); ++j) {
    const auto largest = 2 * static_cast<std::uint64_t>(laplace.bound(j));
    REQUIRE(largest + 1 < std::uint64_t{1} << width);
    for (std::uint64_t code = largest + 1; code < std::uint64_t{1} << width; ++code) {
      Bytes payload = honest;
      set_code(payload, j * width, width, code);
      CHECK(refused_with(payload) == ErrorCode::kReportOutOfBounds);
    }
    Bytes payload = honest;
    set_code(payload, j * width, width, largest);
    CHECK(f.channel.check(payload));
  }
  for (std::size_t size = 0; size < honest.size(); ++size) {
    CHECK(refused_with(Bytes(honest.begin(), honest.begin() + static_cast<std::ptrdiff_t>(size))) ==
          ErrorCode::kReportWrongSize);
  }
  Bytes longer = honest;
  longer.push_back(0);
  CHECK(refused_with(longer) == ErrorCode::kReportWrongSize);
}

TEST_CASE("a payload does not change the tally of another channel or a full tally") {
  const Fixture f = Fixture::create("b b", "1");
  tests::CounterBitSource bits("full");
  const Bytes payload = f.channel.randomize(f.arrangement, tests::all_records(f.schema)[0], bits);

  Tally other(LaplaceTally(3));
  const auto foreign = other.add(f.channel, payload);
  REQUIRE_FALSE(foreign);
  CHECK(foreign.error().code == ErrorCode::kInvalidArgument);
  CHECK(other.reports() == 0);

  LaplaceTally sums(2);
  sums.reports = LaplaceTally::kMaxReports;
  Tally full(sums);
  const auto overflow = full.add(f.channel, payload);
  REQUIRE_FALSE(overflow);
  CHECK(overflow.error().code == ErrorCode::kOverflow);
  CHECK(full == Tally(sums));

  Tally tally = Tally::empty(f.channel);
  Tally sampled{SampledTally()};
  const auto of_another_kind = sampled.add(f.channel, payload);
  REQUIRE_FALSE(of_another_kind);
  CHECK(of_another_kind.error().code == ErrorCode::kInvalidArgument);
  CHECK(sampled.reports() == 0);
  REQUIRE_FALSE(tally.merge(sampled));
  CHECK(tally.merge(sampled).error().code == ErrorCode::kInvalidArgument);
  REQUIRE_FALSE(tally.merge(other));
  CHECK(tally.merge(other).error().code == ErrorCode::kInvalidArgument);
  REQUIRE(tally.add(f.channel, payload));
  REQUIRE(tally.merge(tally));
  CHECK(tally.reports() == 2);
}

TEST_CASE("bytes that do not encode a tally are refused") {
  const auto result = Tally::decode("no tally");
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kStoreCorrupt);
}

}  // namespace
}  // namespace hearsay::tally
