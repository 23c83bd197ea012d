// Tasks over small schemas with the arrangement `explicit`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/random/bit_source.h"
#include "hearsay/task.h"
#include "tests/support/small_domains.h"

namespace hearsay::tests {

inline TaskSpec explicit_spec(const std::string& shape, ExplicitSpec vectors, const std::string& epsilon = "1",
                              LaplaceCalibration calibration = LaplaceCalibration::kTight) {
  return {.title = "explicit",
          .schema = schema_of(shape),
          .arrangement = std::move(vectors),
          .channel = LaplaceSpec{calibration, {}},
          .epsilon = Epsilon::parse(epsilon).value(),
          .task_start = 0,
          .task_duration = 3600,
          .time_precision = 3600};
}

// Returns vectors with uniform entries from -largest to largest, and one query with a vector of ones.
inline ExplicitSpec random_vectors(const std::string& shape, std::uint32_t dimension, int largest, BitSource& bits) {
  ExplicitSpec spec{dimension, {}, {{"a0 = " + schema_of(shape)[0].value_text(1), {}}}};
  const std::uint64_t entries = schema_of(shape).universe_size().value() * dimension;
  for (std::uint64_t i = 0; i < entries; ++i) {
    spec.records.push_back(static_cast<std::int8_t>(
        static_cast<int>(bits.bits(32) % static_cast<std::uint64_t>(2 * largest + 1)) - largest));
  }
  spec.queries[0].vector.assign(dimension, 1);
  return spec;
}

// Returns the vectors of three booleans. Each boolean is a coordinate with a weight of its own, so every query on one
// attribute is affine in the vectors.
inline ExplicitSpec weighted_bits(std::int8_t first = 100, std::int8_t second = 60, std::int8_t third = 30) {
  ExplicitSpec spec{3, {}, {{"a0 and a1", {1, 1, 0}}, {"a0 or a2", {2, 0, 1}}}};
  for (int x = 0; x < 8; ++x) {
    spec.records.push_back(static_cast<std::int8_t>((x & 4) != 0 ? first : -first));
    spec.records.push_back(static_cast<std::int8_t>((x & 2) != 0 ? second : -second));
    spec.records.push_back(static_cast<std::int8_t>((x & 1) != 0 ? third : -third));
  }
  return spec;
}

}  // namespace hearsay::tests
