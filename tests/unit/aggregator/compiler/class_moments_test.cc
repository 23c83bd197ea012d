#include "aggregator/compiler/class_moments.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/bit_sources.h"
#include "tests/support/statistics.h"
#include "tests/unit/aggregator/compiler/brute_force.h"

namespace hearsay::compiler {
namespace {

using namespace tests;  // NOLINT(google-build-using-namespace)

double largest_error(const ClassMoments& moments, const Universe& universe) {
  double largest = 0;
  for (const bool b : {false, true}) {
    const auto members = static_cast<double>(universe.members(b));
    for (std::size_t i = 0; i < moments.coordinates.size(); ++i) {
      const double mean_i = universe.mean(moments.coordinates[i], b);
      largest = std::max(largest, std::abs(moments.mean[b ? 1 : 0][i] - mean_i));
      for (std::size_t j = 0; j < moments.coordinates.size(); ++j) {
        double products = 0;
        for (std::size_t x = 0; x < universe.size(); ++x) {
          if (universe.f(x) != b) continue;
          products += universe.embedding(x)[moments.coordinates[i]] * universe.embedding(x)[moments.coordinates[j]];
        }
        const double covariance = products / members - mean_i * universe.mean(moments.coordinates[j], b);
        largest = std::max(largest, std::abs(moments.covariance_of(b, i, j) - covariance));
      }
    }
  }
  return largest;
}

Result<ClassMoments> moments_of(const Query& query, const Schema& schema, const Literals& literals) {
  const Study found = study(query, schema, {}, {}, work()).value();
  return class_moments(found, schema, literals, work());
}

TEST_CASE("moments of random queries agree with the definition of moments") {
  CounterBitSource bits("class moments");
  Generator generator(bits);
  int compared = 0;
  for (int round = 0; round < 80; ++round) {
    for (const Generator::Kind kind : Generator::kKinds) {
      const Schema schema = generator.schema();
      const Literals literals = Literals::create(schema).value();
      const std::string text = generator.query(schema, kind);
      const Query query = parse(schema, text);
      const Universe universe(query, schema, literals);
      const auto moments = moments_of(query, schema, literals);
      INFO(text);
      REQUIRE(static_cast<bool>(moments) == (universe.relevant() >= 2));
      if (!moments) {
        CHECK(moments.error().code == ErrorCode::kInvalidArgument);
        continue;
      }
      ++compared;
      CHECK(largest_error(*moments, universe) < 1e-9);
      CHECK(moments->of_query == moments->coordinates);
      // On attributes that are not listed, the means of the two classes are equal.
      for (std::uint32_t j = 0; j < literals.dimension(); ++j) {
        const bool listed = std::binary_search(moments->coordinates.begin(), moments->coordinates.end(), j);
        CHECK((listed || !universe.visible(j)));
      }
    }
  }
  CHECK(compared > 150);
}

std::string pairs(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "(x" : " or (x") + std::to_string(2 * i) + " and x" + std::to_string(2 * i + 1) + ")";
  }
  return text;
}

// In class 0 no pair holds, so each pair is (0,0), (0,1) or (1,0), independently of the others. The means are -1/3, the
// variances 8/9, and the covariance is -1/3 - 1/9 within a pair and 0 across pairs. At least 4,000 of the 2^17 sampled
// records are in the class, so a covariance has a standard error of at most 1/√4000. The limit of 6.5 standard errors
// has a false alarm of 5e-8.
TEST_CASE("if there are too many covariances to compute, they are sampled") {
  for (const int count : {11, 12}) {
    const Schema schema = booleans(static_cast<std::size_t>(2 * count));
    const Literals literals = Literals::create(schema).value();
    const ClassMoments moments = moments_of(parse(schema, pairs(count)), schema, literals).value();
    REQUIRE(moments.coordinates.size() == literals.dimension());
    const bool sampled_means = count == 12;
    CHECK((moments.members[0] > 0) == sampled_means);
    const double error = 6.5 / std::sqrt(sampled_means ? moments.members[0] : 4000.0);
    for (std::size_t i = 0; i < moments.coordinates.size(); ++i) {
      CHECK(std::abs(moments.mean[0][i] + 1.0 / 3) < (sampled_means ? error : 1e-9));
      for (std::size_t j = 0; j <= i; ++j) {
        const double expected = i == j ? 8.0 / 9 : i / 2 == j / 2 ? -4.0 / 9 : 0;
        CHECK(std::abs(moments.covariance_of(false, i, j) - expected) < error);
      }
    }
  }
}

TEST_CASE("a query on more coordinates than the largest allowed matrix is refused") {
  const Schema schema = schema_of({Attribute::range("a", 0, 600), Attribute::range("b", 0, 600)});
  const Literals literals = Literals::create(schema).value();
  const auto moments = moments_of(parse(schema, "a >= 300 and b >= 300"), schema, literals);
  REQUIRE_FALSE(moments);
  CHECK(moments.error().code == ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace hearsay::compiler
