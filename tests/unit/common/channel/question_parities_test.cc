// Parities of several bits are bits of products in a finite field. Tests the field, the products, and the property of
// a good hash: two values have the same answer no more often than by chance.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "common/channel/questions.h"
#include "tests/support/questions.h"

namespace hearsay {
namespace {

// In polynomials over GF(2), bit i is the coefficient of x^i.
unsigned length_of(std::uint64_t a) { return static_cast<unsigned>(std::bit_width(a)); }

std::uint64_t remainder_of(std::uint64_t a, std::uint64_t divisor) {
  while (length_of(a) >= length_of(divisor)) a ^= divisor << (length_of(a) - length_of(divisor));
  return a;
}

bool is_irreducible(std::uint64_t polynomial) {
  // If there is a divisor, there is one of at most half the degree.
  const unsigned half = (length_of(polynomial) - 1) / 2;
  for (std::uint64_t divisor = 2; length_of(divisor) <= half + 1; ++divisor) {
    if (remainder_of(polynomial, divisor) == 0) return false;
  }
  return true;
}

std::uint64_t least_irreducible(unsigned degree) {
  std::uint64_t polynomial = std::uint64_t{1} << degree;
  while (!is_irreducible(polynomial)) ++polynomial;
  return polynomial;
}

std::uint32_t product_of(std::uint32_t a, std::uint32_t b, unsigned degree) {
  std::uint64_t product = 0;
  for (unsigned bit = 0; bit < degree; ++bit) {
    if ((b >> bit & 1U) != 0) product ^= std::uint64_t{a} << bit;
  }
  return static_cast<std::uint32_t>(remainder_of(product, least_irreducible(degree)));
}

TEST_CASE("answers are bits of products modulo the least irreducible polynomial of each degree") {
  for (unsigned degree = 3; degree <= 20; ++degree) {
    CAPTURE(degree);
    for (const std::uint32_t bits : {2U, std::min(degree - 1, 16U)}) {
      // For degrees above 4 there are fewer values than 2^degree.
      const std::uint32_t values = (1U << degree) - (degree > 4 ? 3 : 0);
      const Questions questions = Questions::create(tests::parities(bits), values).value();
      REQUIRE(questions.width() == bits);
      REQUIRE(questions.count() == (1U << degree) - 1);
      REQUIRE(questions.members().size() == 1);
      // Tries all pairs of small fields, and some pairs of large fields.
      const std::uint32_t step = degree <= 5 ? 1 : (1U << degree) / 13 - 1;
      for (std::uint32_t question = 0; question < questions.count(); question += step) {
        for (std::uint32_t x = 0; x < values; x += step) {
          const std::uint32_t product = product_of(question + 1, x, degree);
          REQUIRE(questions.answer(question, x) == (product & ((1U << bits) - 1)));
        }
        for (unsigned bit = 0; bit < degree && 1U << bit < values; ++bit) {
          const std::uint32_t product = product_of(question + 1, 1U << bit, degree);
          REQUIRE(questions.answer(question, 1U << bit) == (product & ((1U << bits) - 1)));
        }
      }
    }
  }
}

TEST_CASE("each mask is in the span of equally many questions") {
  for (unsigned degree = 3; degree <= 7; ++degree) {
    for (std::uint32_t bits = 2; bits < degree; ++bits) {
      CAPTURE(degree);
      CAPTURE(bits);
      const Questions questions = Questions::create(tests::parities(bits), 1U << degree).value();
      std::vector<std::uint32_t> spans(1U << degree, 0);
      std::vector<std::uint32_t> masks(bits);
      for (std::uint32_t question = 0; question < questions.count(); ++question) {
        questions.masks(question, masks);
        for (std::uint32_t subset = 1; subset < 1U << bits; ++subset) {
          std::uint32_t mask = 0;
          for (std::uint32_t bit = 0; bit < bits; ++bit) mask ^= (subset >> bit & 1U) != 0 ? masks[bit] : 0;
          ++spans[mask];
        }
      }
      CHECK(spans[0] == 0);
      for (std::uint32_t mask = 1; mask < spans.size(); ++mask) REQUIRE(spans[mask] == (1U << bits) - 1);
    }
  }
}

// The differences of the answers would be uniform if there were also a question of the element 0, whose answers are
// all equal.
TEST_CASE("for any two values, every difference of the answers comes from equally many questions") {
  for (unsigned degree = 3; degree <= 6; ++degree) {
    for (std::uint32_t bits = 2; bits < degree; ++bits) {
      const Questions questions = Questions::create(tests::parities(bits), 1U << degree).value();
      for (std::uint32_t x = 0; x < questions.values(); ++x) {
        for (std::uint32_t y = 0; y < x; ++y) {
          std::vector<std::uint32_t> differences(1U << bits, 0);
          for (std::uint32_t question = 0; question < questions.count(); ++question) {
            ++differences[questions.answer(question, x) ^ questions.answer(question, y)];
          }
          REQUIRE(differences[0] == (1U << (degree - bits)) - 1);
          for (std::uint32_t d = 1; d < differences.size(); ++d) REQUIRE(differences[d] == 1U << (degree - bits));
        }
      }
    }
  }
}

}  // namespace
}  // namespace hearsay
