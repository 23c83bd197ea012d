#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/bit_sources.h"
#include "tests/support/sampled_cases.h"

namespace hearsay {
namespace {

using tests::groups_of;
using tests::partition;
using tests::sampled_cases;
using tests::SampledCase;
using tests::SampledParts;

LinearQuery compile(const SampledParts& parts, const std::string& text) {
  tests::FailingBitSource none;
  const auto query = Query::parse(parts.schema(), text);
  REQUIRE(query);
  const auto linear = parts.channel().compile(*query, parts.schema(), parts.arrangement(), none);
  REQUIRE_MESSAGE(linear, linear.error().message);
  return *linear;
}

// The variance of one report's estimate where all means are 0: Σ g_j²/information_j.
double variance(const SampledParts& parts, const LinearQuery& linear) {
  const auto* characters = std::get_if<Characters>(&parts.arrangement().kind());
  double sum = 0;
  for (const auto& [coordinate, weight] : linear.weights) {
    std::vector<std::uint32_t> attributes;
    if (characters != nullptr) {
      for (const Factor& factor : characters->factors(coordinate)) attributes.push_back(factor.attribute);
    }
    const double information = characters == nullptr ? parts.sampled().literal_information(coordinate)
                                                     : parts.sampled().information(attributes);
    sum += weight * weight / information;
  }
  return sum;
}

// c²/4, c = (e^ε+1)/(e^ε-1): what one report answers one query with at best.
double limit(double epsilon) {
  const double c = (std::exp(epsilon) + 1) / (std::exp(epsilon) - 1);
  return c * c / 4;
}

std::string booleans(int count) {
  std::string shape;
  for (int i = 0; i < count; ++i) shape += "b ";
  return shape;
}

TEST_CASE("on characters a compiled query is the query, whatever the channel") {
  for (const SampledCase& c : sampled_cases()) {
    if (!std::holds_alternative<CharactersSpec>(c.arrangement)) continue;
    const SampledParts parts = SampledParts::create(c, "1");
    const auto laplace = Channel::create(LaplaceSpec{}, parts.arrangement(), Epsilon::parse("1").value()).value();
    std::string text = "a0 = 1";
    if (parts.schema()[0].kind() == AttributeKind::kBoolean) text = "a0";
    if (parts.schema()[0].kind() == AttributeKind::kCategorical) text = "a0 = \"v1\"";
    tests::FailingBitSource none;
    const Query query = Query::parse(parts.schema(), text).value();
    for (const Channel* channel : {&parts.channel(), &laplace}) {
      const LinearQuery linear = channel->compile(query, parts.schema(), parts.arrangement(), none).value();
      CHECK(linear.guarantee == Guarantee::kWorstCase);
      std::vector<std::int8_t> a(parts.arrangement().dimension());
      for (const Record& record : tests::all_records(parts.schema())) {
        parts.arrangement().encode(record, a);
        double value = linear.offset;
        for (const auto& [coordinate, weight] : linear.weights) value += weight * a[coordinate];
        CHECK(std::abs(value - (query.evaluate(record) ? 1 : 0)) < 1e-12);
      }
    }
  }
}

// A pair of k booleans weighs three characters by 1/4, a single one weighs one by 1/2; each of the d = k(k+1)/2 has the
// information γ²/d, γ = 1/c. So a literal costs d/4·c² and is the worst: d = 36 and 136 times the limit.
TEST_CASE("uniform singles on characters") {
  for (const int k : {8, 16}) {
    const auto pairs = static_cast<std::uint32_t>(k * (k - 1) / 2);
    const SampledParts parts = SampledParts::create(
        {"", booleans(k), CharactersSpec{2},
         groups_of({{GroupKind::kSingle, 1, static_cast<std::uint32_t>(k)}, {GroupKind::kSingle, 2, pairs}})},
        "1");
    const double d = k + pairs;
    CHECK(variance(parts, compile(parts, "a1")) / limit(1) == doctest::Approx(d).epsilon(1e-9));
    CHECK(variance(parts, compile(parts, "a1 and not a3")) / limit(1) == doctest::Approx(3 * d / 4).epsilon(1e-9));
  }
}

// A pair moves both of its literals by δ = 4/3: g = 3/8 twice, each literal with γ²/k: 9k/8 times the limit.
TEST_CASE("literals one by one") {
  for (const int k : {8, 16, 64}) {
    const SampledParts parts = SampledParts::create({"", booleans(k), LiteralsSpec{}, partition(1)}, "1");
    CHECK(variance(parts, compile(parts, "a1 and a3")) / limit(1) == doctest::Approx(9.0 * k / 8).epsilon(1e-9));
  }
}

// Where the last group is smaller, its literals are known better and weigh more: δ is equal, so g goes as γ².
TEST_CASE("literals weigh by the gamma of their group") {
  const SampledParts parts = SampledParts::create({"", booleans(5), LiteralsSpec{}, partition(4)}, "2");
  const LinearQuery linear = compile(parts, "a0 and a4");
  REQUIRE(linear.weights.size() == 2);
  const auto classes = parts.sampled().classes();
  const double ratio = std::pow(parts.sampled().gamma(classes[1]) / parts.sampled().gamma(classes[0]), 2);
  CHECK(ratio > 1.5);
  CHECK(linear.weights[1].value / linear.weights[0].value == doctest::Approx(ratio).epsilon(1e-9));
}

// [r = 0] over three values leaves f free at the fourth pattern: f̂ = (1+p)/4, (1+p)/4… with f = (1, 0, 0, p). On one
// attribute all weights are equal, and Σg² is least at the mean of f, p = 1/3.
TEST_CASE("padding is filled to the channel's variance") {
  const SampledParts parts =
      SampledParts::create({"", "r3 b", CharactersSpec{1}, groups_of({{GroupKind::kSingle, 1, 1}})}, "1");
  const LinearQuery linear = compile(parts, "a0 = -2");
  double squares = 0;
  for (const auto& each : linear.weights) squares += each.value * each.value;
  const double mean = 1.0 / 3;
  // Parseval: Σ over the 4 patterns of f²/4 less the mean squared.
  CHECK(squares == doctest::Approx((1 + mean * mean) / 4 - mean * mean).epsilon(1e-9));
}

}  // namespace
}  // namespace hearsay
