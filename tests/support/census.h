// Makes a table like a public extract of a census: many people, with skewed and correlated yes/no attributes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/random/bit_source.h"
#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay::tests {

inline constexpr std::size_t kCensusRows = 48'842;
inline constexpr std::size_t kCensusAttributes = 8;

inline Schema census_schema() {
  std::vector<Attribute> attributes;
  for (std::size_t i = 0; i < kCensusAttributes; ++i) {
    attributes.push_back(Attribute::boolean("b" + std::to_string(i)).value());
  }
  return Schema::create(std::move(attributes)).value();
}

// Returns independent rows. Each person is in one of four stages of life, and the stage decides how likely each
// attribute is. b3 mostly equals b2, as income follows education.
inline std::vector<Record> census_rows(const Schema& schema, std::size_t rows, BitSource& bits) {
  // kChance[s][j]/256 is the probability that attribute j is true in the stage s.
  constexpr std::array<std::array<std::uint64_t, kCensusAttributes>, 4> kChance{{
      {20, 230, 40, 10, 120, 200, 25, 4},
      {150, 200, 110, 60, 170, 210, 40, 8},
      {215, 180, 90, 90, 160, 215, 60, 12},
      {190, 60, 50, 30, 140, 225, 90, 30},
  }};
  std::vector<Record> table;
  std::vector<std::uint32_t> values(kCensusAttributes);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto& chance = kChance[bits.bits(2)];
    for (std::size_t i = 0; i < kCensusAttributes; ++i) values[i] = bits.bits(8) < chance[i] ? 1 : 0;
    if (bits.bits(1) == 1) values[3] = values[2];
    table.push_back(Record::create(schema, values).value());
  }
  return table;
}

}  // namespace hearsay::tests
