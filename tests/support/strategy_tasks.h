// Tasks over small schemas with the channel `strategy`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/channel/channel.h"
#include "hearsay/task.h"
#include "tests/support/small_domains.h"

namespace hearsay::tests {

// Returns the matrix of randomized response for one attribute of `values` values, at ε = 1. The value k gives the
// output k with the greater probability. Entries are in units of 2^-32.
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

// Returns a strategy with shifts. Entries of one row differ by less than the factor e. All entries add up to 2^32.
inline StrategySpec shift_rows(std::uint32_t rows, std::uint32_t records, std::uint32_t seed) {
  constexpr std::uint64_t kOne = std::uint64_t{1} << 32U;
  const std::uint32_t outputs = rows * records;
  const auto even = static_cast<std::uint32_t>(kOne / outputs);
  StrategySpec spec{outputs, std::vector<std::uint32_t>(outputs, even), true};
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::uint32_t> part(0, even / 5);
  for (std::size_t i = 0; i < outputs; ++i) {
    const std::uint32_t moved = part(random);
    spec.matrix[i] -= moved;
    spec.matrix[(i + 1) % outputs] += moved;
  }
  // `even` is rounded down. The first entries get the missing units, one each.
  for (std::size_t i = 0; i < kOne - std::uint64_t{even} * outputs; ++i) ++spec.matrix[i];
  return spec;
}

// Returns the half-circles of an attribute of J values, one row for each multiplier j. Up to rounding, the entry of z
// is e times as large for (j·z) mod J < J/2 as for other z.
inline StrategySpec half_circle_rows(std::uint32_t values, const std::vector<std::uint32_t>& multipliers) {
  constexpr std::uint64_t kOne = std::uint64_t{1} << 32U;
  constexpr double kE = 2.718281828;
  std::vector<bool> is_inside;
  for (const std::uint32_t j : multipliers) {
    for (std::uint32_t z = 0; z < values; ++z) is_inside.push_back(2 * (j * z % values) < values);
  }
  const auto inside = static_cast<std::uint64_t>(std::count(is_inside.begin(), is_inside.end(), true));
  const std::uint64_t outside = is_inside.size() - inside;
  const auto less = static_cast<std::uint64_t>(static_cast<double>(kOne) /
                                               (static_cast<double>(inside) * kE + static_cast<double>(outside))) +
                    1;
  const std::uint64_t more = (kOne - less * outside) / inside;
  StrategySpec spec{static_cast<std::uint32_t>(is_inside.size()), {}, true};
  for (const bool of_one : is_inside) spec.matrix.push_back(static_cast<std::uint32_t>(of_one ? more : less));
  // `more` is rounded down. The small entries get the missing units.
  const std::uint64_t left = kOne - less * outside - more * inside;
  for (std::size_t i = 0, given = 0; given < left; i = (i + 1) % is_inside.size()) {
    if (is_inside[i]) continue;
    ++spec.matrix[i];
    ++given;
  }
  return spec;
}

// Returns the channel's law as a strategy without shifts. The universe must have at most 1,024 records.
inline StrategySpec written_out(const StrategyChannel& channel) {
  StrategySpec spec{channel.outputs(), {}};
  for (std::size_t x = 0; x < channel.records(); ++x) {
    for (std::uint32_t k = 0; k < channel.outputs(); ++k) spec.matrix.push_back(channel.entry(x, k));
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

inline const StrategyChannel& strategy_of(const Task& task) { return std::get<StrategyChannel>(task.channel().kind()); }

}  // namespace hearsay::tests
