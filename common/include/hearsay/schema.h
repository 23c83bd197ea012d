// Attributes and schemas: what a record consists of.
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

enum class AttributeKind : std::uint8_t { kBoolean, kCategorical, kRange };

// One field of a record. A value is addressed by its index in [0, size()): boolean no = 0, yes = 1; categorical in the
// order of the list; range min, min+1, …, max.
class Attribute {
 public:
  static constexpr std::uint32_t kMaxSize = 1U << 20U;  // values of one attribute
  static constexpr std::size_t kMaxNameBytes = 128;     // of an attribute or a categorical value, UTF-8

  // Names: a letter or underscore, then letters, digits or underscores (ASCII); no word of the query language.
  // Errors: kInvalidSchema.
  static Result<Attribute> boolean(std::string name);
  // At least 2 distinct values, each non-empty UTF-8 without control characters.
  static Result<Attribute> categorical(std::string name, std::vector<std::string> values);
  // All integers from min to max, min < max.
  static Result<Attribute> range(std::string name, std::int64_t min, std::int64_t max);

  const std::string& name() const { return name_; }
  AttributeKind kind() const { return kind_; }
  std::uint32_t size() const { return size_; }
  // Categorical: the values' names. Empty otherwise.
  const std::vector<std::string>& values() const { return values_; }
  // Range: smallest and largest value. Boolean: 0 and 1.
  std::int64_t min() const { return min_; }
  std::int64_t max() const { return min_ + size_ - 1; }

  // Index of a categorical value by name, if it is one.
  std::optional<std::uint32_t> index_of(std::string_view value) const;
  // The value's text: yes/no, the categorical name, or the integer.
  std::string value_text(std::uint32_t index) const;

  bool operator==(const Attribute& other) const;

 private:
  Attribute() = default;
  std::string name_;
  AttributeKind kind_ = AttributeKind::kBoolean;
  std::uint32_t size_ = 2;
  std::int64_t min_ = 0;
  std::vector<std::string> values_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

// The ordered list of attributes. The universe X is the product of their value sets.
class Schema {
 public:
  static constexpr std::size_t kMaxAttributes = 4096;

  // 1 to 4096 attributes with distinct names. Errors: kInvalidSchema.
  static Result<Schema> create(std::vector<Attribute> attributes);
  // A JSON array, see common/schema/format.md. Errors: kMalformedJson, kUnknownKey, kMissingKey, kWrongType,
  // kInvalidSchema, kLimitExceeded.
  static Result<Schema> parse(std::string_view json);

  std::size_t size() const { return attributes_.size(); }
  const Attribute& operator[](std::size_t i) const { return attributes_[i]; }
  std::span<const Attribute> attributes() const { return attributes_; }
  std::optional<std::size_t> find(std::string_view name) const;
  // |X| if it is at most 2^63, else nothing.
  std::optional<std::uint64_t> universe_size() const;
  // Canonical JSON (sorted keys, no white space).
  std::string to_json() const;

  bool operator==(const Schema& other) const { return attributes_ == other.attributes_; }

 private:
  Schema() = default;
  std::vector<Attribute> attributes_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace hearsay
