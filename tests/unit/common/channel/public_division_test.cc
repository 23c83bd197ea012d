#include "common/channel/public_division.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace hearsay {
namespace {

// Tries every divisor n with the first and the last dividend of each quotient. The dividends go up to 2n², twice as far
// as a circle of n places divides. The estimated quotient grows with the dividend. If the estimate is right or one too
// small at both ends, the same holds in between. The remainder then corrects the estimate.
TEST_CASE("the quotient is right for every dividend and divisor in use") {
  constexpr std::uint32_t kEnd = 1U << 27U;
  std::uint64_t wrong = 0;
  for (std::uint32_t n = 2; n <= 1U << 13U; ++n) {
    const std::uint32_t end = std::min(kEnd, 2 * n * n);
    for (std::uint32_t first = 0; first < end; first += n) {
      const Quotient a = divide_by_public(first, n);
      const Quotient b = divide_by_public(first + n - 1, n);
      wrong += a.quotient == b.quotient && a.quotient * n == first && a.remainder == 0 && b.remainder == n - 1 ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

// The error of the estimate is below value·(1 + 1/n)/2^64, so the largest dividends have the largest errors.
TEST_CASE("the quotient is right up to the stated limit") {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 42U;
  for (std::uint32_t n = 2; n <= 1U << 21U; n += n < 64 ? 1 : n / 61) {
    for (std::uint64_t value = kEnd - 1; value > kEnd - 3 * n; value -= n / 7 + 1) {
      const Quotient found = divide_by_public(value, n);
      REQUIRE(found.quotient == value / n);
      REQUIRE(found.remainder == value % n);
    }
  }
}

}  // namespace
}  // namespace hearsay
