#include "hearsay/epsilon.h"

#include <doctest/doctest.h>

namespace hearsay {
namespace {

TEST_CASE("epsilon is exactly the rational number of its decimal text") {
  struct Case {
    const char* text;
    std::uint64_t num;
    std::uint64_t den;
    const char* shortest;
  };
  for (const Case& c :
       {Case{"1", 1, 1, "1"}, Case{"0.5", 1, 2, "0.5"}, Case{"0.250", 1, 4, "0.25"}, Case{"10", 10, 1, "10"},
        Case{"64", 64, 1, "64"}, Case{"64.000000", 64, 1, "64"}, Case{"63.999999", 63'999'999, 1'000'000, "63.999999"},
        Case{"0.000001", 1, 1'000'000, "0.000001"}, Case{"1.000010", 100'001, 100'000, "1.00001"},
        Case{"2.05", 41, 20, "2.05"}}) {
    CAPTURE(c.text);
    const auto epsilon = Epsilon::parse(c.text);
    REQUIRE(epsilon);
    CHECK(epsilon->num() == c.num);
    CHECK(epsilon->den() == c.den);
    CHECK(epsilon->to_string() == c.shortest);
    CHECK(*Epsilon::parse(epsilon->to_string()) == *epsilon);
    CHECK(epsilon->approximate() == doctest::Approx(static_cast<double>(c.num) / static_cast<double>(c.den)));
  }
}

TEST_CASE("an epsilon beyond its range or not in plain decimals is refused") {
  for (const char* text : {"0",
                           "0.0",
                           "64.000001",
                           "65",
                           "18446744073709551615",
                           "99999999999999999999",
                           "",
                           " 1",
                           "1 ",
                           "-1",
                           "+1",
                           "1e0",
                           "0.0000001",
                           "1.",
                           ".5",
                           "01",
                           "nan",
                           "inf",
                           "1/2",
                           "1,5",
                           "0x1"}) {
    CAPTURE(text);
    const auto epsilon = Epsilon::parse(text);
    REQUIRE_FALSE(epsilon);
    CHECK(epsilon.error().code == ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace hearsay
