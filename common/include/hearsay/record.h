// One person's values. A record never leaves the device, and no error message holds its values.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hearsay/schema.h"

namespace hearsay {

class Record {
 public:
  // One value index per attribute, in the schema's order. Errors: kInvalidRecord (names the attribute, not the value).
  static Result<Record> create(const Schema& schema, std::vector<std::uint32_t> values);
  // A JSON object with exactly one member per attribute: true/false, a categorical value's name, or an integer.
  // Errors: kMalformedJson, kLimitExceeded (above 4 MiB), kInvalidRecord.
  static Result<Record> parse(const Schema& schema, std::string_view json);

  std::uint32_t operator[](std::size_t attribute) const { return values_[attribute]; }
  std::span<const std::uint32_t> values() const { return values_; }
  bool operator==(const Record&) const = default;

 private:
  explicit Record(std::vector<std::uint32_t> values) : values_(std::move(values)) {}
  std::vector<std::uint32_t> values_;
};

}  // namespace hearsay
