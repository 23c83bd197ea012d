#include "common/arrangement/characters.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <string>

#include "common/arrangement/arrangement.h"
#include "tests/support/small_domains.h"
#include "tests/unit/common/arrangement/l1_distance.h"

namespace hearsay {
namespace {

using tests::all_records;
using tests::schema_of;

const std::vector<std::string> kCharacterShapes = {"b",       "c2",        "c3",       "r8",       "r9",      "b b",
                                                   "b c3",    "c5 c4",     "r5 r3",    "b b b",    "c3 b r4", "c5 r3 b",
                                                   "b b b b", "b c3 b c3", "c3 c3 c3", "r6 b b c2"};

Schema booleans(std::size_t count) {
  std::vector<Attribute> attributes;
  for (std::size_t i = 0; i < count; ++i) attributes.push_back(Attribute::boolean("b" + std::to_string(i)).value());
  return Schema::create(std::move(attributes)).value();
}

Schema ranges_of_bits(const std::vector<std::uint32_t>& bits) {
  std::vector<Attribute> attributes;
  for (const std::uint32_t b : bits) {
    const std::string name = "r" + std::to_string(attributes.size());
    attributes.push_back(Attribute::range(name, 0, (std::int64_t{1} << b) - 1).value());
  }
  return Schema::create(std::move(attributes)).value();
}

// Calls `visit` with every shape at every order from 1 to the number of attributes.
template <class Visit>
void for_each_arrangement(const Visit& visit) {
  for (const std::string& shape : kCharacterShapes) {
    const Schema schema = schema_of(shape);
    for (std::uint32_t order = 1; order <= schema.size(); ++order) {
      CAPTURE(shape);
      CAPTURE(order);
      visit(schema, Characters::create(schema, order).value());
    }
  }
}

std::vector<std::int8_t> embed(const Characters& characters, const Record& record) {
  std::vector<std::int8_t> a(characters.dimension(), 0);
  characters.encode(record, a);
  return a;
}

TEST_CASE("the dimension is the number of ways to choose at most `order` attributes and a mask for each") {
  for_each_arrangement([](const Schema& schema, const Characters& characters) {
    std::uint64_t expected = 0;
    for (std::uint32_t set = 1; set < 1U << schema.size(); ++set) {
      if (static_cast<std::uint32_t>(std::popcount(set)) > characters.order()) continue;
      std::uint64_t product = 1;
      for (std::size_t i = 0; i < schema.size(); ++i) {
        if ((set >> i & 1U) != 0) product *= (1U << bits_of(schema[i])) - 1;
      }
      expected += product;
    }
    CHECK(characters.dimension() == expected);
  });
}

TEST_CASE("coordinates are numbered without gaps, and coordinates on fewer attributes come first") {
  for_each_arrangement([](const Schema& schema, const Characters& characters) {
    std::size_t attributes = 1;
    for (std::uint32_t j = 0; j < characters.dimension(); ++j) {
      const std::vector<Factor> factors = characters.factors(j);
      REQUIRE(factors.size() >= attributes);
      attributes = factors.size();
      REQUIRE(characters.coordinate(factors) == j);
      for (std::size_t i = 0; i < factors.size(); ++i) {
        REQUIRE(factors[i].attribute < schema.size());
        REQUIRE(factors[i].mask >= 1);
        REQUIRE(factors[i].mask < 1U << bits_of(schema[factors[i].attribute]));
        if (i > 0) REQUIRE(factors[i - 1].attribute < factors[i].attribute);
      }
    }
    CHECK(attributes == characters.order());
  });
}

TEST_CASE("the coordinates on one set of attributes are consecutive, and the last mask changes fastest") {
  for_each_arrangement([](const Schema& schema, const Characters& characters) {
    std::uint64_t seen = 0;
    for (std::uint32_t set = 1; set < 1U << schema.size(); ++set) {
      if (static_cast<std::uint32_t>(std::popcount(set)) > characters.order()) continue;
      std::vector<std::uint32_t> attributes;
      for (std::uint32_t i = 0; i < schema.size(); ++i) {
        if ((set >> i & 1U) != 0) attributes.push_back(i);
      }
      const auto [first, size] = characters.coordinates_on(attributes);
      seen += size;
      std::vector<std::uint32_t> previous;
      for (std::uint64_t j = first; j < first + size; ++j) {
        std::vector<std::uint32_t> of;
        std::vector<std::uint32_t> masks;
        for (const auto& [attribute, mask] : characters.factors(static_cast<std::uint32_t>(j))) {
          of.push_back(attribute);
          masks.push_back(mask);
        }
        REQUIRE(of == attributes);
        REQUIRE((j == first || previous < masks));  // the masks ascend lexicographically
        previous = masks;
      }
    }
    CHECK(seen == characters.dimension());
  });
}

TEST_CASE("a coordinate is the product of the parities of its factors") {
  for_each_arrangement([](const Schema& schema, const Characters& characters) {
    for (const Record& record : all_records(schema)) {
      const std::vector<std::int8_t> a = embed(characters, record);
      for (std::uint32_t j = 0; j < a.size(); ++j) {
        int expected = 1;
        for (const auto& [attribute, mask] : characters.factors(j)) {
          if (std::popcount(record[attribute] & mask) % 2 == 1) expected = -expected;
        }
        REQUIRE(a[j] == expected);
      }
    }
  });
}

TEST_CASE("the sensitivity is the largest distance between embeddings") {
  for_each_arrangement([](const Schema& schema, const Characters& characters) {
    std::vector<std::vector<std::int8_t>> embeddings;
    for (const Record& record : all_records(schema)) embeddings.push_back(embed(characters, record));
    std::uint64_t largest = 0;
    for (const auto& a : embeddings) {
      for (const auto& b : embeddings) largest = std::max(largest, l1_distance(a, b));
    }
    CHECK(characters.sensitivity().value() == largest);
  });
}

// If c of k booleans change, e_1 = s and e_2 = (s² - k)/2, where e_j are elementary symmetric functions and s = k -
// 2c. Their sum ((s + 1)² - 1 - k)/2 is least at s = -1 if k is odd, and at s = 0 if k is even.
TEST_CASE("the sensitivity is right for booleans at order 2, and for all bits together") {
  for (const std::size_t k : {2U, 3U, 8U, 16U, 17U, 64U, 361U}) {
    const Characters characters = Characters::create(booleans(k), 2).value();
    CHECK(characters.sensitivity().value() == characters.dimension() + (k + 1) / 2);
  }
  const Characters largest = Characters::create(booleans(4096), 2).value();
  CHECK(largest.dimension() == 4096 + 4096 * 4095 / 2);
  CHECK(largest.sensitivity().value() == largest.dimension() + 2048);

  // If the order is the number of attributes, any two records differ in exactly half of the d + 1 characters (d and the
  // empty product). So Δ = d + 1.
  for (const char* shape : {"b b b b b b b b b b", "c5 b r9 c3", "r1000 c17 b"}) {
    const Schema schema = schema_of(shape);
    const Characters characters = Characters::create(schema, static_cast<std::uint32_t>(schema.size())).value();
    CHECK(characters.sensitivity().value() == characters.dimension() + 1);
  }
}

TEST_CASE("the search for the sensitivity is refused if it would take too long") {
  std::vector<std::uint32_t> bits;
  for (std::uint32_t b = 1; b <= 6; ++b) bits.insert(bits.end(), 20, b);
  const Schema schema = ranges_of_bits(bits);
  const auto refused = Characters::create(schema, 2)->sensitivity();  // 21^6 cases, about 2^26.4
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kLimitExceeded);
  // At order 1, a changed attribute of b bits adds 2^b to the distance.
  CHECK(Characters::create(schema, 1)->sensitivity().value() == 20 * (2 + 4 + 8 + 16 + 32 + 64));
}

TEST_CASE("the dimension is limited") {
  const auto refused = [](const Schema& schema, std::uint32_t order) {
    const auto characters = Characters::create(schema, order);
    REQUIRE_FALSE(characters);
    return characters.error().code;
  };
  CHECK(Characters::create(ranges_of_bits(std::vector<std::uint32_t>(4096, 20)), 1)->dimension() ==
        4096ULL * ((1U << 20U) - 1));

  // The characters are the non-empty sets of 32 bits.
  CHECK(Characters::create(ranges_of_bits({16, 16}), 2)->dimension() == Characters::kMaxDimension);
  CHECK(Characters::create(booleans(32), 32)->dimension() == Characters::kMaxDimension);
  CHECK(refused(ranges_of_bits({16, 17}), 2) == ErrorCode::kLimitExceeded);
  CHECK(refused(booleans(33), 33) == ErrorCode::kLimitExceeded);

  CHECK(Characters::create(booleans(4096), 2)->dimension() == 8'390'656);
  CHECK(refused(booleans(4096), 3) == ErrorCode::kLimitExceeded);
  CHECK(refused(booleans(4096), 4096) == ErrorCode::kLimitExceeded);
}

TEST_CASE("the order is at least 1 and at most the number of attributes") {
  const Schema schema = schema_of("b c3 r4");
  for (const std::uint32_t order : {0U, 4U, UINT32_MAX}) {
    const auto characters = Characters::create(schema, order);
    REQUIRE_FALSE(characters);
    CHECK(characters.error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("a task's specification gives the arrangement") {
  const Schema schema = schema_of("b c3 r4");
  for (std::uint32_t order = 1; order <= 3; ++order) {
    const Arrangement arrangement = Arrangement::create(CharactersSpec{order}, schema).value();
    const Characters characters = Characters::create(schema, order).value();
    CHECK(std::get<Characters>(arrangement.kind()).order() == order);
    CHECK(arrangement.dimension() == characters.dimension());
    CHECK(arrangement.sensitivity().value() == characters.sensitivity().value());
    for (const Record& record : all_records(schema)) {
      std::vector<std::int8_t> a(arrangement.dimension());
      arrangement.encode(record, a);
      CHECK(a == embed(characters, record));
    }
  }
  const auto refused = Arrangement::create(CharactersSpec{4}, schema);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hearsay
