// Tasks over small schemas with the channel `strategy`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hearsay/task.h"
#include "tests/support/small_domains.h"

namespace hearsay::tests {

// Returns one attribute of K values, asked by randomized response at ε = 1: output k is the value that has the greater
// probability. e is rounded down, in units of 2^-32.
inline StrategySpec response_matrix(std::uint32_t values) {
  constexpr std::uint64_t kOne = std::uint64_t{1} << 32U;
  constexpr double kE = 2.718281828;
  StrategySpec spec{values, {}};
  const auto other = static_cast<std::uint32_t>(static_cast<double>(kOne) / (kE + values - 1)) + 1;
  for (std::uint32_t x = 0; x < values; ++x) {
    for (std::uint32_t k = 0; k < values; ++k) {
      spec.matrix.push_back(x == k ? static_cast<std::uint32_t>(kOne - std::uint64_t{other} * (values - 1)) : other);
    }
  }
  return spec;
}

inline TaskSpec strategy_spec(const std::string& shape, StrategySpec matrix, const std::string& epsilon = "1") {
  Schema schema = schema_of(shape);
  const auto order = static_cast<std::uint32_t>(schema.size());
  return {.title = "strategy",
          .schema = std::move(schema),
          .arrangement = CharactersSpec{order},
          .channel = std::move(matrix),
          .epsilon = Epsilon::parse(epsilon).value(),
          .task_start = 0,
          .task_duration = 3600,
          .time_precision = 3600};
}

inline Task strategy_task(const std::string& shape, StrategySpec matrix, const std::string& epsilon = "1") {
  return Task::create(strategy_spec(shape, std::move(matrix), epsilon)).value();
}

}  // namespace hearsay::tests
