// A schema says what a record consists of: it is a list of attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hearsay/result.h"

namespace hearsay {

// The kinds of an attribute: yes or no; one of a list of named values; an integer from min to max.
enum class AttributeKind : std::uint8_t { kBoolean, kCategorical, kRange };

// Describes one field of a record. The library handles a value by its index, a number from 0 to size() - 1:
// - boolean: no is 0, yes is 1;
// - categorical: the value's place in the list;
// - range: the integer minus min().
class Attribute {
 public:
  static constexpr std::uint32_t kMaxSize = 1U << 20U;  // the most values of one attribute
  static constexpr std::size_t kMaxNameBytes = 128;     // the most bytes of an attribute's or value's name
  static constexpr std::size_t kMaxTitleBytes = 256;
  static constexpr std::size_t kMaxUnitBytes = 32;

  // The three functions below make an attribute. A name is printable text: 1 to 128 bytes of UTF-8, without white space
  // at either end and without the characters that common/schema/format.md refuses. In a query, a name that is not a
  // plain word stands in double quotes. Errors: kInvalidSchema.

  // Makes an attribute whose values are no and yes.
  static Result<Attribute> boolean(std::string name);
  // Makes an attribute with 2 to kMaxSize named values. The names are distinct, and each has 1 to kMaxNameBytes bytes
  // of UTF-8 without control characters.
  static Result<Attribute> categorical(std::string name, std::vector<std::string> values);
  // Makes an attribute with the integers from `min` to `max` as values, at most kMaxSize of them. `min` is below `max`,
  // and both lie from -2^53 to 2^53.
  static Result<Attribute> range(std::string name, std::int64_t min, std::int64_t max);

  // with_title() gives the attribute a title. with_unit() gives a range a unit for its values. Both are texts for
  // people, in UTF-8 without control characters, of at most kMaxTitleBytes and kMaxUnitBytes bytes. An empty text
  // removes the title or the unit. Titles and units do not change what a report holds. Errors: kInvalidSchema (the text
  // is too long, not UTF-8 or has control characters, or a unit is for another kind than a range).
  Result<Attribute> with_title(std::string title) &&;
  Result<Attribute> with_unit(std::string unit) &&;

  const std::string& name() const { return name_; }
  // Returns the title, which people read in place of the name, such as "How many minutes do you cycle a day?". Empty if
  // there is no title.
  const std::string& title() const { return title_; }
  // Returns what the integers of a range count, such as "min". Empty if there is no unit.
  const std::string& unit() const { return unit_; }
  AttributeKind kind() const { return kind_; }
  // Returns the number of values.
  std::uint32_t size() const { return size_; }
  // Returns the names of the values of a categorical attribute, and an empty list for the other kinds.
  const std::vector<std::string>& values() const { return values_; }
  // Return the smallest and the largest integer of a range. For other kinds, return 0 and size() - 1.
  std::int64_t min() const { return min_; }
  std::int64_t max() const { return min_ + size_ - 1; }

  // Returns the index of the categorical value with this name, if there is one.
  std::optional<std::uint32_t> index_of(std::string_view value) const;
  // Returns a value as text: "yes" or "no", the categorical value's name, or the integer. `index` is below size().
  std::string value_text(std::uint32_t index) const;

  // Returns true if both have the same name and the same values. Their titles and units may differ.
  bool has_same_values(const Attribute& other) const;
  bool operator==(const Attribute& other) const;

 private:
  Attribute() = default;
  std::string name_;
  std::string title_;
  std::string unit_;
  AttributeKind kind_ = AttributeKind::kBoolean;
  std::uint32_t size_ = 2;
  std::int64_t min_ = 0;
  std::vector<std::string> values_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

// Holds the attributes in their order. The *universe* X is the set of all records that the schema allows.
class Schema {
 public:
  static constexpr std::size_t kMaxAttributes = 4096;

  // Makes a schema of 1 to 4096 attributes with distinct names. Errors: kInvalidSchema.
  static Result<Schema> create(std::vector<Attribute> attributes);

  // Reads the JSON array that common/schema/format.md describes. Errors: kMalformedJson, kUnknownKey, kMissingKey,
  // kWrongType, kInvalidSchema, kLimitExceeded.
  static Result<Schema> parse(std::string_view json);

  // Returns the number of attributes.
  std::size_t size() const { return attributes_.size(); }
  // Returns attribute number i, from 0 to size() - 1.
  const Attribute& operator[](std::size_t i) const { return attributes_[i]; }
  std::span<const Attribute> attributes() const { return attributes_; }
  // Returns the place of the attribute with this name, if there is one.
  std::optional<std::size_t> find(std::string_view name) const;
  // Returns the number of records in the universe, or nothing if the number is above 2^63.
  std::optional<std::uint64_t> universe_size() const;
  // Returns the schema as canonical JSON: keys sorted, no white space.
  std::string to_json() const;

  // Returns true if both schemas have the same records: has_same_values() attribute by attribute.
  bool has_same_records(const Schema& other) const;
  bool operator==(const Schema& other) const { return attributes_ == other.attributes_; }

 private:
  Schema() = default;
  std::vector<Attribute> attributes_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace hearsay
