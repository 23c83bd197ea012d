#include "aggregator/tally/laplace_tally.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "common/channel/channel.h"
#include "tests/support/bit_sources.h"

namespace hearsay::tally {
namespace {

constexpr std::int32_t kLargest = std::numeric_limits<std::int32_t>::max();

std::vector<std::vector<std::int32_t>> some_reports(std::size_t count, std::size_t coordinates) {
  tests::CounterBitSource bits("tally");
  std::vector<std::vector<std::int32_t>> reports(count, std::vector<std::int32_t>(coordinates));
  for (auto& report : reports) {
    for (auto& y : report) {
      const auto magnitude = static_cast<std::int32_t>(bits.bits(static_cast<unsigned>(bits.bits(5))));
      y = bits.bits(1) != 0 ? -magnitude : magnitude;
    }
  }
  reports[0].assign(coordinates, kLargest);
  reports[1].assign(coordinates, -kLargest);
  return reports;
}

LaplaceTally sums_of(const std::vector<std::vector<std::int32_t>>& reports) {
  LaplaceTally tally(reports[0].size());
  for (const auto& report : reports) tally.add(report);
  return tally;
}

TEST_CASE("a tally has the exact sums of its reports") {
  const auto reports = some_reports(200, 3);
  const LaplaceTally tally = sums_of(reports);
  CHECK(tally.reports == 200);
  for (std::size_t j = 0; j < 3; ++j) {
    Int128 sum = 0;
    Int128 squares = 0;
    for (const auto& report : reports) {
      sum += report[j];
      squares += Int128{report[j]} * report[j];
    }
    CHECK(Int128{tally.sum[j]} == sum);
    CHECK(tally.sum_of_squares[j] == static_cast<Uint128>(squares));
  }
}

TEST_CASE("a tally does not depend on the order and the grouping of reports") {
  auto reports = some_reports(100, 4);
  const LaplaceTally expected = sums_of(reports);
  std::rotate(reports.begin(), reports.begin() + 37, reports.end());
  std::reverse(reports.begin(), reports.begin() + 50);
  CHECK(sums_of(reports) == expected);
  CHECK(sums_of(reports).encode() == expected.encode());

  for (const std::ptrdiff_t split : {1, 50, 99}) {
    LaplaceTally first = sums_of({reports.begin(), reports.begin() + split});
    LaplaceTally second = sums_of({reports.begin() + split, reports.end()});
    LaplaceTally reversed = second;
    REQUIRE(first.merge(second));
    REQUIRE(reversed.merge(LaplaceTally(4)));
    REQUIRE(reversed.merge(sums_of({reports.begin(), reports.begin() + split})));
    CHECK(first == expected);
    CHECK(reversed == expected);
  }
}

TEST_CASE("tallies of other channels or of too many reports are not merged, and a refused merge changes nothing") {
  LaplaceTally tally = sums_of(some_reports(5, 2));
  const LaplaceTally before = tally;
  const auto other_shape = tally.merge(LaplaceTally(3));
  REQUIRE_FALSE(other_shape);
  CHECK(other_shape.error().code == ErrorCode::kInvalidArgument);

  LaplaceTally large(2);
  large.reports = LaplaceTally::kMaxReports - 4;
  const auto too_many = tally.merge(large);
  REQUIRE_FALSE(too_many);
  CHECK(too_many.error().code == ErrorCode::kOverflow);
  CHECK(tally == before);

  large.reports = LaplaceTally::kMaxReports - 5;
  REQUIRE(tally.merge(large));
  CHECK(tally.reports == LaplaceTally::kMaxReports);
}

TEST_CASE("the largest tally does not overflow") {
  // Makes 2^32 reports of ±(2^31 - 1), by doubling.
  for (const std::int32_t y : {kLargest, -kLargest}) {
    LaplaceTally tally(1);
    tally.add(std::vector{y});
    for (int i = 0; i < 32; ++i) {
      const LaplaceTally half = tally;
      REQUIRE(tally.merge(half));
    }
    CHECK(tally.reports == LaplaceTally::kMaxReports);
    CHECK(Int128{tally.sum[0]} == (Int128{y} * (Int128{1} << 32U)));
    CHECK(tally.sum_of_squares[0] == static_cast<Uint128>(Int128{y} * y) << 32U);
    const auto decoded = LaplaceTally::decode(tally.encode());
    REQUIRE(decoded);
    CHECK(*decoded == tally);
  }
}

TEST_CASE("the encoding has the documented format, byte by byte") {
  LaplaceTally tally(2);
  tally.add(std::vector<std::int32_t>{-2, 300});
  tally.add(std::vector<std::int32_t>{1, 0});
  const std::string expected =
      std::string("\x01", 1) + std::string("\2\0\0\0\0\0\0\0", 8) + std::string("\2\0\0\0", 4) +
      std::string(8, '\xff') + '\5' + std::string(15, '\0') +                // the sums -1 and 5
      std::string("\x2c\1\0\0\0\0\0\0", 8) + std::string("\x90\x5f\1", 3) +  // squares: 300 and 90,000
      std::string(13, '\0');
  CHECK(tally.encode() == expected);
}

TEST_CASE("decode() inverts encode() and refuses all other bytes") {
  for (const std::size_t coordinates : {1U, 2U, 17U}) {
    const LaplaceTally tally = sums_of(some_reports(20, coordinates));
    const std::string bytes = tally.encode();
    const auto decoded = LaplaceTally::decode(bytes);
    REQUIRE(decoded);
    CHECK(*decoded == tally);

    std::vector<std::string> corrupt;
    for (std::size_t length = 0; length < bytes.size(); ++length) corrupt.push_back(bytes.substr(0, length));
    corrupt.push_back(bytes + '\0');
    corrupt.push_back('\0' + bytes.substr(1));
    corrupt.push_back('\2' + bytes.substr(1));
    for (const char count : {0, 16, 18, 127}) corrupt.push_back(bytes.substr(0, 9) + count + bytes.substr(10));
    for (const std::string& text : corrupt) {
      const auto result = LaplaceTally::decode(text);
      REQUIRE_FALSE(result);
      CHECK(result.error().code == ErrorCode::kStoreCorrupt);
    }
  }
}

TEST_CASE("sums that no reports can have are damage") {
  const auto decodes = [](std::uint64_t reports, std::int64_t sum, Uint128 squares) {
    LaplaceTally tally(1);
    tally.reports = reports;
    tally.sum[0] = sum;
    tally.sum_of_squares[0] = squares;
    const auto result = LaplaceTally::decode(tally.encode());
    if (!result) CHECK(result.error().code == ErrorCode::kStoreCorrupt);
    return static_cast<bool>(result);
  };
  const Uint128 square = Uint128{std::uint64_t{kLargest}} * std::uint64_t{kLargest};
  CHECK(decodes(0, 0, 0));
  CHECK(decodes(1, kLargest, square));
  CHECK(decodes(3, 1, 3));  // the values 1, 1, -1
  CHECK(decodes(LaplaceTally::kMaxReports, 0, 0));

  CHECK_FALSE(decodes(0, 0, 1));
  CHECK_FALSE(decodes(0, 2, 2));
  CHECK_FALSE(decodes(LaplaceTally::kMaxReports + 1, 0, 0));
  CHECK_FALSE(decodes(2, 1, 2));                  // the parities of the sums differ
  CHECK_FALSE(decodes(2, 3, 1));                  // Σy² < |Σy|
  CHECK_FALSE(decodes(2, -4, 6));                 // (Σy)² > 2·Σy²
  CHECK(decodes(2, -4, 8));                       // the values -2, -2
  CHECK_FALSE(decodes(1, kLargest, square + 2));  // |y| would be beyond 2^31 - 1
  CHECK_FALSE(decodes(5, std::numeric_limits<std::int64_t>::min(), 4));
  CHECK_FALSE(decodes(5, 0, ~Uint128{0} - 1));
}

}  // namespace
}  // namespace hearsay::tally
