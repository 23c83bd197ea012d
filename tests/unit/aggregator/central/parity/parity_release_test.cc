#include "aggregator/central/parity/parity_release.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"
#include "tests/support/statistics.h"
#include "tests/unit/aggregator/central/cells/paper_rows.h"

namespace hearsay::central {
namespace {

constexpr unsigned kAttributes = 8;
constexpr BitRow kHidden = 0b1100000;  // the sixth and seventh attribute, the paper's "0000011"

// Returns `count` rows of 8 bits. The label is the hidden parity, and the other bits are uniform.
std::vector<BitRow> parity_rows(std::size_t count, BitSource& bits) {
  std::vector<BitRow> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<BitRow>(bits.bits(kAttributes - 1));
    rows.push_back(agrees(row, kHidden, kAttributes) ? row : row | 1U << (kAttributes - 1));
  }
  return rows;
}

TEST_CASE("a row agrees with a vector if the selected attributes add up to the label, modulo 2") {
  for (BitRow row = 0; row < 16; ++row) {
    for (BitRow vector = 0; vector < 8; ++vector) {
      unsigned sum = 0;
      for (unsigned j = 0; j < 3; ++j) sum ^= (row >> j & 1U) & (vector >> j & 1U);
      CHECK(agrees(row, vector, 4) == (sum == row >> 3U));
    }
  }
}

TEST_CASE("parities and noise rates are shares of the rows") {
  // There is one attribute and the label. The counts are those of the rows 00, 10, 01, 11.
  const ReleasedRows rows = ReleasedRows::create(2, {10, 3, 2, 5}).value();
  CHECK(rows.rows() == 20);
  CHECK(rows.agreeing(1) == 15);  // the rows 00 and 11 agree
  CHECK(rows.agreeing(0) == 13);  // the rows 00 and 10 agree
  CHECK(rows.noise_rate(1) == 0.25);
  CHECK(rows.worst_noise_rate(1) == 0.375);  // of the 8 rows with the attribute, 3 are wrong
  CHECK(ReleasedRows::create(2, {0, 4, 0, 0}).value().worst_noise_rate(1) == 1);
}

// Compares 40,000 draws with the counts by χ² (false alarm 1e-9). A row of count 0 is not drawn.
TEST_CASE("rows are drawn in proportion to their released counts") {
  tests::CounterBitSource bits("draw");
  const std::vector<std::uint64_t> counts{10, 0, 3, 7};
  const ReleasedRows rows = ReleasedRows::create(2, counts).value();
  std::vector<double> seen(4);
  for (int i = 0; i < 40'000; ++i) ++seen[rows.draw(bits)];
  double chi_square = 0;
  for (std::size_t row = 0; row < 4; ++row) {
    const double expected = 40'000 * static_cast<double>(counts[row]) / 20;
    if (expected > 0) chi_square += (seen[row] - expected) * (seen[row] - expected) / expected;
  }
  CHECK(seen[1] == 0);
  CHECK(chi_square < tests::chi_square_threshold(2, 1e-9));
}

// The paper has 10^5 rows and α = 0.01, with the printed noise of scale t = 100. Each of the 128 impossible rows gets
// E[max(0,Y)] = t/2 on average, so the noise rate η is near 6,400/106,400 = 0.060. E[max(0,Y)²] is t², so the standard
// deviation of η is near √(128·(3/4))·t/106,400 = 0.0092. The mean of 300 releases is within 6 standard errors (0.0032)
// plus 0.001 for the curvature. The spread is within 25 %, which is more than 6 of its standard errors (4.1 %).
TEST_CASE("the noise rate of the paper's experiment is 0.059 ± 0.009") {
  tests::CounterBitSource bits("parity experiment");
  const std::vector<BitRow> data = parity_rows(100'000, bits);
  const auto rates = [&](Neighbours neighbours, int runs) {
    const auto mechanism = ParityRelease::create(Epsilon::parse("0.01").value(), neighbours, kAttributes).value();
    double sum = 0;
    double squares = 0;
    for (int run = 0; run < runs; ++run) {
      const double rate = mechanism.release(data, bits).value().noise_rate(kHidden);
      sum += rate;
      squares += rate * rate;
    }
    const double mean = sum / runs;
    return std::pair{mean, std::sqrt((squares / runs - mean * mean) * runs / (runs - 1))};
  };
  const auto printed = rates(Neighbours::kAddRemove, 300);
  CHECK(std::abs(printed.first - 0.0595) < 0.0042);
  CHECK(printed.second == doctest::Approx(0.0092).epsilon(0.25).scale(0));
  CHECK(std::abs(0.0655 - printed.first) < printed.second);
  // With the noise for replacement, t = 200, the rate is 12,800/112,800 = 0.1135. The standard deviation is about 1.9
  // times as large.
  const auto corrected = rates(Neighbours::kReplaceOne, 100);
  CHECK(std::abs(corrected.first - 0.1135) < 0.0115);
}

// Tests Theorem 5.2 for parities in 1,000 runs.
TEST_CASE("every parity is within the error, at the stated number of rows") {
  tests::CounterBitSource bits("parity accuracy");
  constexpr unsigned kFew = 4;
  constexpr double kError = 0.1;
  constexpr double kDelta = 0.2;
  const auto mechanism = ParityRelease::create(Epsilon::parse("1").value(), Neighbours::kReplaceOne, kFew).value();
  const std::uint64_t count = rows_for_every_union(mechanism.cells().noise(), 1U << kFew, kError, kDelta);
  std::vector<BitRow> data;
  std::vector<std::uint64_t> counts(1U << kFew);
  for (std::uint64_t i = 0; i < count; ++i) {
    data.push_back(static_cast<BitRow>(i * i % 16));
    ++counts[data.back()];
  }
  const ReleasedRows truth = ReleasedRows::create(kFew, counts).value();
  std::uint64_t failures = 0;
  for (int run = 0; run < 1000; ++run) {
    const ReleasedRows rows = mechanism.release(data, bits).value();
    bool off = false;
    for (BitRow vector = 0; vector < 8; ++vector) {
      const double error = static_cast<double>(rows.agreeing(vector)) - static_cast<double>(truth.agreeing(vector));
      off = off || std::abs(error) > kError * static_cast<double>(count);
    }
    if (off) ++failures;
  }
  CHECK(failures <= tests::binomial_band(1000, kDelta, 2e-6).high);
}

TEST_CASE("bits of a row beyond the number of attributes do not matter") {
  const auto mechanism = ParityRelease::create(Epsilon::parse("0.01").value(), Neighbours::kReplaceOne, 2).value();
  const auto agreeing = [&](const std::vector<BitRow>& rows) {
    tests::CounterBitSource bits("further bits");
    const ReleasedRows released = mechanism.release(rows, bits).value();
    return std::vector<std::uint64_t>{released.rows(), released.agreeing(0), released.agreeing(1)};
  };
  CHECK(agreeing({4, 0xFFFFFFFF, 6}) == agreeing({0, 3, 2}));
}

TEST_CASE("numbers of attributes and counts that are out of range are refused, and so are counts without a row") {
  tests::CounterBitSource bits("bad rows");
  const Epsilon one = Epsilon::parse("1").value();
  for (const unsigned attributes : {0U, 1U, 21U, 4'000'000'000U}) {
    CHECK(ParityRelease::create(one, Neighbours::kAddRemove, attributes).error().code == ErrorCode::kInvalidArgument);
    CHECK(ReleasedRows::create(attributes, {1, 1}).error().code == ErrorCode::kInvalidArgument);
  }
  CHECK(ReleasedRows::create(2, {1, 1, 1}).error().code == ErrorCode::kInvalidArgument);
  CHECK(ReleasedRows::create(2, {0, 0, 0, 0}).error().code == ErrorCode::kInvalidArgument);
  CHECK(ReleasedRows::create(2, {~0ULL, 1, 0, 0}).error().code == ErrorCode::kOverflow);
  CHECK(ReleasedRows::create(2, {1ULL << 62U, 1ULL << 62U, 0, 0}).error().code == ErrorCode::kOverflow);
  const auto replace = ParityRelease::create(one, Neighbours::kReplaceOne, 2).value();
  CHECK(replace.release({}, bits).error().code == ErrorCode::kInvalidArgument);
  // Without rows and with almost no noise, no count is above 0, which is an error.
  const auto sharp = ParityRelease::create(Epsilon::parse("64").value(), Neighbours::kAddRemove, 2).value();
  CHECK(sharp.release({}, bits).error().code == ErrorCode::kInvalidArgument);
  const auto soft = ParityRelease::create(Epsilon::parse("0.001").value(), Neighbours::kAddRemove, 10).value();
  CHECK(soft.release({}, bits).value().rows() > 0);
}

}  // namespace
}  // namespace hearsay::central
