#include "common/base/rational.h"

#include <doctest/doctest.h>

#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace hearsay {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

Rational make(std::uint64_t num, std::uint64_t den) { return Rational::create(num, den).value(); }

void check_lowest(const Rational& r) {
  CHECK(r.den() > 0);
  CHECK(std::gcd(r.num(), r.den()) == 1);
}

TEST_CASE("fractions are kept in lowest terms") {
  CHECK(make(6, 4).to_string() == "3/2");
  CHECK(make(64, 2).to_string() == "32");
  CHECK(make(0, 17) == Rational());
  CHECK(make(0, 17).den() == 1);
  CHECK(make(kMax, kMax).to_string() == "1");
  CHECK(Rational::create(1, 0).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("arithmetic on all small fractions agrees with cross multiplication") {
  std::vector<Rational> small;
  for (std::uint64_t num = 0; num <= 7; ++num) {
    for (std::uint64_t den = 1; den <= 7; ++den) small.push_back(make(num, den));
  }
  for (const Rational& x : small) {
    for (const Rational& y : small) {
      const Rational sum = x.plus(y).value();
      CHECK(sum.num() * x.den() * y.den() == sum.den() * (x.num() * y.den() + y.num() * x.den()));
      check_lowest(sum);
      const Rational product = x.times(y).value();
      CHECK(product.num() * x.den() * y.den() == product.den() * x.num() * y.num());
      check_lowest(product);
      const auto quotient = x.divided_by(y);
      CHECK(static_cast<bool>(quotient) == (y.num() != 0));
      if (quotient) {
        CHECK(quotient->num() * x.den() * y.num() == quotient->den() * x.num() * y.den());
        check_lowest(*quotient);
      } else {
        CHECK(quotient.error().code == ErrorCode::kInvalidArgument);
      }
      CHECK((x < y) == (x.num() * y.den() < y.num() * x.den()));
      CHECK((x == y) == (x.num() * y.den() == y.num() * x.den()));
    }
  }
}

TEST_CASE("large fractions: inverse operations give back the original fraction") {
  std::mt19937_64 random(7);
  int sums = 0;
  int products = 0;
  for (int i = 0; i < 20000; ++i) {
    // The widths vary, so that some results fit into 64 bits and some do not.
    const Rational x = make(random() >> (random() % 64), (random() >> (random() % 64)) | 1);
    const Rational y = make((random() >> (random() % 64)) | 1, (random() >> (random() % 64)) | 1);
    if (const auto product = x.times(y)) {
      ++products;
      check_lowest(*product);
      REQUIRE(product->divided_by(y));
      CHECK(*product->divided_by(y) == x);
    } else {
      CHECK(product.error().code == ErrorCode::kOverflow);
    }
    if (const auto sum = x.plus(y)) {
      ++sums;
      check_lowest(*sum);
      CHECK(*sum > x);
      CHECK(*sum == *y.plus(x));
    } else {
      CHECK(sum.error().code == ErrorCode::kOverflow);
    }
  }
  CHECK(sums > 1000);
  CHECK(products > 1000);
}

TEST_CASE("results at the edge of 64 bits are exact or refused") {
  CHECK(make(kMax - 1, 1).plus(make(1, 1))->num() == kMax);
  CHECK(make(kMax, 1).plus(make(1, 1)).error().code == ErrorCode::kOverflow);
  CHECK(make(kMax, 1).plus(make(1, kMax)).error().code == ErrorCode::kOverflow);
  CHECK(make(kMax, kMax - 1).times(make(kMax - 1, kMax))->to_string() == "1");
  CHECK(make(1, kMax).plus(make(kMax - 1, kMax))->to_string() == "1");
  CHECK(make(kMax, 2).plus(make(kMax, 2))->num() == kMax);
  // (2^64-1)/(2^64-3) + (2^64-1)/(2^64-2): both cross products are near 2^128, so their sum exceeds 128 bits.
  CHECK(make(kMax, kMax - 2).plus(make(kMax, kMax - 1)).error().code == ErrorCode::kOverflow);
  CHECK(make(std::uint64_t{1} << 32U, 1).times(make(std::uint64_t{1} << 32U, 1)).error().code == ErrorCode::kOverflow);
  CHECK(make(1, std::uint64_t{1} << 32U).times(make(1, std::uint64_t{1} << 32U)).error().code == ErrorCode::kOverflow);
}

TEST_CASE("comparison does not round") {
  // The fractions differ by 1/((2^64-1)(2^64-2)), far below the resolution of a double.
  CHECK(make(kMax - 1, kMax) > make(kMax - 2, kMax - 1));
  CHECK(make(kMax - 2, kMax - 1) < make(kMax - 1, kMax));
}

TEST_CASE("decimal text is read exactly") {
  CHECK(Rational::parse_decimal("0")->to_string() == "0");
  CHECK(Rational::parse_decimal("0.000000")->to_string() == "0");
  CHECK(Rational::parse_decimal("0.25")->to_string() == "1/4");
  CHECK(Rational::parse_decimal("1.0")->to_string() == "1");
  CHECK(Rational::parse_decimal("10.000001")->to_string() == "10000001/1000000");
  CHECK(Rational::parse_decimal("18446744073709551615")->num() == kMax);
  CHECK(Rational::parse_decimal("9223372036854775807.5")->num() == kMax);
  for (const char* text : {"",
                           ".",
                           ".5",
                           "5.",
                           "01",
                           "00",
                           "-1",
                           "+1",
                           "1e3",
                           " 1",
                           "1 ",
                           "1.0000000",
                           "1,5",
                           "0x1",
                           "1.2.3",
                           "18446744073709551616",
                           "9223372036854775808.5",
                           "99999999999999999999999999",
                           "inf",
                           "nan"}) {
    CAPTURE(text);
    const auto parsed = Rational::parse_decimal(text);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == ErrorCode::kInvalidArgument);
  }
  for (std::uint64_t millionths = 0; millionths < 3'000'000; millionths += 997) {
    std::string text = std::to_string(millionths);
    text.insert(0, text.size() < 7 ? 7 - text.size() : 0, '0');
    text.insert(text.size() - 6, 1, '.');
    CHECK(*Rational::parse_decimal(text) == make(millionths, 1'000'000));
  }
}

TEST_CASE("fractions are read as people write them: positive, whole or with a slash") {
  CHECK(Rational::parse_fraction("32").value() == make(32, 1));
  CHECK(Rational::parse_fraction("64/6").value() == make(32, 3));
  for (const char* text :
       {"", "0", "0/3", "1/0", "/3", "1/", "-1", "1.5", "1/2/3", " 1", "1 ", "18446744073709551616"}) {
    CAPTURE(text);
    CHECK(Rational::parse_fraction(text).error().code == ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace hearsay
