#include "common/arrangement/explicit.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/arrangement/arrangement.h"
#include "tests/support/bit_sources.h"
#include "tests/support/explicit_tasks.h"
#include "tests/support/small_domains.h"

namespace hearsay {
namespace {

using tests::random_vectors;
using tests::schema_of;

std::uint64_t brute_force_diameter(const std::vector<std::int8_t>& vectors, std::size_t dimension) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < vectors.size(); i += dimension) {
    for (std::size_t k = 0; k < i; k += dimension) {
      std::uint64_t sum = 0;
      for (std::size_t j = 0; j < dimension; ++j) {
        sum += static_cast<std::uint64_t>(std::abs(int{vectors[i + j]} - int{vectors[k + j]}));
      }
      largest = std::max(largest, sum);
    }
  }
  return largest;
}

TEST_CASE("every record has the vector that the task lists for it") {
  tests::CounterBitSource bits("vectors of records");
  for (const std::string shape : {"b", "c3", "b c3 r4", "r5 b b", "c2 r7"}) {
    CAPTURE(shape);
    const ExplicitSpec spec = random_vectors(shape, 5, 127, bits);
    const Schema schema = schema_of(shape);
    const Arrangement arrangement = Arrangement::create(spec, schema).value();
    const Explicit& vectors = std::get<Explicit>(arrangement.kind());
    CHECK(arrangement.dimension() == 5);
    std::size_t x = 0;
    int largest = 0;
    std::uint64_t square = 0;
    for (const Record& record : tests::all_records(schema)) {
      std::vector<std::int8_t> out(5, 99);
      arrangement.encode(record, out);
      const std::vector<std::int8_t> expected(spec.records.begin() + static_cast<std::ptrdiff_t>(5 * x),
                                              spec.records.begin() + static_cast<std::ptrdiff_t>(5 * x + 5));
      CHECK(out == expected);
      CHECK(std::equal(expected.begin(), expected.end(), vectors.vector_of(x).begin()));
      std::uint64_t norm = 0;
      for (const std::int8_t entry : expected) {
        largest = std::max(largest, std::abs(int{entry}));
        norm += static_cast<std::uint64_t>(entry * entry);
      }
      square = std::max(square, norm);
      ++x;
    }
    CHECK(x == vectors.records());
    CHECK(vectors.largest_entry() == largest);
    CHECK(vectors.largest_square() == square);
    CHECK(arrangement.sensitivity().value() == brute_force_diameter(spec.records, 5));
  }
}

// The code has two ways to compute the sensitivity. Few dimensions with many records use signs; other cases use pairs.
TEST_CASE("the sensitivity is the largest distance between two vectors") {
  tests::CounterBitSource bits("largest distances");
  for (const std::size_t d : {1U, 2U, 3U, 7U, 8U, 15U, 16U, 17U, 33U}) {
    for (const std::size_t records : {2U, 3U, 17U, 200U, 700U}) {
      for (const int largest : {1, 5, 127}) {
        CAPTURE(d);
        CAPTURE(records);
        CAPTURE(largest);
        std::vector<std::int8_t> vectors;
        for (std::size_t i = 0; i < d * records; ++i) {
          const int entry = static_cast<int>(bits.bits(32) % static_cast<std::uint64_t>(2 * largest + 1)) - largest;
          vectors.push_back(static_cast<std::int8_t>(entry));
        }
        CHECK(l1_diameter(vectors, d) == brute_force_diameter(vectors, d));
      }
    }
  }
}

TEST_CASE("the sensitivity is right for the least and greatest entries, for equal vectors, and for a million entries") {
  CHECK(l1_diameter(std::vector<std::int8_t>{-127, 127}, 1) == 254);
  CHECK(l1_diameter(std::vector<std::int8_t>{5, 6, 5, 6, 5, 6}, 2) == 0);
  std::vector<std::int8_t> line;
  for (std::size_t i = 0; i < Explicit::kMaxEntries; ++i)
    line.push_back(static_cast<std::int8_t>(static_cast<int>(i % 251) - 125));
  CHECK(l1_diameter(line, 1) == 250);
  std::vector<std::int8_t> few(Explicit::kMaxEntries, 1);
  few[3 * 4096] = -100;  // one of 256 vectors of 4,096 entries
  CHECK(l1_diameter(few, 4096) == 101);
}

// The vectors of a simplex are nearly as far from the middle of their box as the corners of the box are. So the search
// for the largest distance can skip no pair.
std::vector<std::int8_t> simplex(std::size_t records, std::size_t d, tests::CounterBitSource& bits) {
  std::vector<std::int8_t> vectors(records * d, 0);
  for (std::size_t x = 0; x < records; ++x) {
    int left = 127;
    for (std::size_t j = 0; j + 1 < d; ++j) {
      const int part = x < d ? (x == j ? left : 0) : static_cast<int>(bits.bits(32) % static_cast<unsigned>(left + 1));
      vectors[x * d + j] = static_cast<std::int8_t>(part);
      left -= part;
    }
    vectors[x * d + d - 1] = static_cast<std::int8_t>(left);
  }
  return vectors;
}

TEST_CASE("the largest distance in a simplex is right, by signs and by pairs") {
  tests::CounterBitSource bits("simplex");
  CHECK(l1_diameter(simplex(1024, 8, bits), 8) == 254);
  CHECK(l1_diameter(simplex(256, 24, bits), 24) == 254);
}

TEST_CASE("vectors that would take long to compare are refused") {
  std::string attributes = "b";
  for (int i = 1; i < 15; ++i) attributes += " b";
  const Schema schema = schema_of(attributes);  // 32,768 records
  const ExplicitSpec slow{32, std::vector<std::int8_t>(32'768 * 32, 1), {{"a0", std::vector<std::int8_t>(32, 1)}}};
  CHECK(Explicit::create(slow, schema).error().code == ErrorCode::kLimitExceeded);
}

TEST_CASE("vectors that do not fit the schema are refused") {
  const Schema schema = schema_of("b b");
  const auto refused = [&](ExplicitSpec spec) {
    const auto result = Explicit::create(spec, schema);
    REQUIRE_FALSE(result);
    return result.error();
  };
  const ExplicitSpec good{2, {1, 2, 3, 4, 5, 6, 7, 8}, {{"a0", {1, 0}}, {"a1", {0, 1}}}};
  REQUIRE(Explicit::create(good, schema));

  ExplicitSpec bad = good;
  bad.dimension = 0;
  CHECK(refused(bad).code == ErrorCode::kInvalidArgument);
  bad = good;
  bad.records.pop_back();
  CHECK(refused(bad).message ==
        "records has 7 bytes; it must have 8, 2 for each of the 4 records that the schema allows");
  bad = good;
  bad.records[3] = -128;
  CHECK(refused(bad).message.find("-128") != std::string::npos);
  bad = good;
  bad.records = {1, 2, 1, 2, 1, 2, 1, 2};
  CHECK(refused(bad).message.find("all records have the same vector") != std::string::npos);
  bad.records.assign(8, 0);
  CHECK(refused(bad).message.find("all records have the same vector") != std::string::npos);
  bad = good;
  bad.queries.clear();
  CHECK(refused(bad).message == "queries must have at least one element");
  bad = good;
  bad.queries[1].vector = {0, 0};
  CHECK(refused(bad).message == "queries[1].vector must not be all zero");
  bad.queries[1].vector = {1};
  CHECK(refused(bad).message == "queries[1].vector must have 2 bytes, and has 1");
  bad.queries[1].vector = {1, -128};
  CHECK(refused(bad).code == ErrorCode::kInvalidArgument);
  bad = good;
  bad.queries[1].query = "";
  CHECK(refused(bad).code == ErrorCode::kInvalidArgument);
  bad.queries[1].query = "\xff";
  CHECK(refused(bad).message == "queries[1].query is not UTF-8");
  bad.queries[1].query = "a0";
  CHECK(refused(bad).message.find("the same query") != std::string::npos);
  bad.queries[1].query = "a";
  CHECK(refused(bad).message == "queries must ascend by their text");

  bad = good;
  bad.dimension = 1U << 19U;
  CHECK(refused(bad).code == ErrorCode::kLimitExceeded);
  bad = {1U << 18U, std::vector<std::int8_t>(1U << 20U, 1), {}};
  bad.records[0] = 0;
  for (char name = 'a'; name <= 'e'; ++name) {
    bad.queries.push_back({std::string(1, name), std::vector<std::int8_t>(1U << 18U, 1)});
  }
  CHECK(refused(bad).message == "the number of queries times dimension must be at most 1,048,576");
  bad.queries.pop_back();
  CHECK(Explicit::create(bad, schema).value().sensitivity() == 1);
}

}  // namespace
}  // namespace hearsay
