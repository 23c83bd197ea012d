// One person's answers, which never leave the device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hearsay/schema.h"

namespace hearsay {

// One value under the name of its attribute: NamedValue{"smoker", true}, {"age", 33}, {"region", "north"}. A text may
// stand for a value of any kind, as in a CSV file: {"smoker", "true"}, {"age", "33"}.
struct NamedValue {
  std::string name;
  std::variant<bool, std::int64_t, std::string> value;
};

// Holds one value for each attribute of a schema. A value is given by its index; see Attribute. No error message holds
// a record's values.
class Record {
 public:
  // Makes a record from value indices, one for each attribute, in the schema's order.
  // Errors: kInvalidRecord. The message names the attribute, not the value.
  static Result<Record> create(const Schema& schema, std::vector<std::uint32_t> values);

  // Makes a record from named values, exactly one for each attribute, in any order. A boolean attribute takes a bool, a
  // range takes an integer, and a categorical attribute takes the name of a value. All kinds also take a text. Errors:
  // kInvalidRecord. The message names the attribute, not the value.
  static Result<Record> from_values(const Schema& schema, const std::vector<NamedValue>& values);

  // Reads a JSON object that has exactly one member for each attribute. The member's value is true or false for a
  // boolean attribute, a value's name for a categorical one, and an integer for a range. Errors: kMalformedJson,
  // kLimitExceeded (the text is longer than 4 MiB or nested too deeply), kInvalidRecord.
  static Result<Record> parse(const Schema& schema, std::string_view json);

  // Returns the value index of one attribute, given by its place in the schema.
  std::uint32_t operator[](std::size_t attribute) const { return values_[attribute]; }
  // Returns the value indices of all attributes.
  std::span<const std::uint32_t> values() const { return values_; }
  bool operator==(const Record&) const = default;

 private:
  explicit Record(std::vector<std::uint32_t> values) : values_(std::move(values)) {}
  std::vector<std::uint32_t> values_;
};

}  // namespace hearsay
