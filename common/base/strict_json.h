// Reads JSON as this project accepts it: one document without duplicate keys, of bounded depth and size, with finite
// numbers.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/base/json.h"
#include "hearsay/result.h"

namespace hearsay {

struct JsonLimits {
  std::size_t max_bytes = 16U << 20U;
  std::size_t max_depth = 16;
};

// Parses exactly one document. Errors: kMalformedJson (syntax, invalid UTF-8, duplicate key, NaN, infinity, a number
// that overflows a double), kLimitExceeded (too long, or nested too deeply). The message gives the byte, and the line
// if the text has several. The message quotes no input.
Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

// Reads one JSON object and turns every departure from the expected shape into a typed error. The message names the
// key's path (`where`), e.g. "schema[2].min". The object must outlive the reader.
class ObjectReader {
 public:
  // Errors: kWrongType unless `value` is an object.
  static Result<ObjectReader> create(const Json& value, std::string where);

  // Errors: kUnknownKey if the object has a key that is not listed.
  Result<void> allow_only(std::initializer_list<std::string_view> keys) const;

  bool has(std::string_view key) const;
  // Return the key's value. All these functions have the errors kMissingKey and kWrongType. get_int() also has
  // kInvalidArgument, for an integer outside [min, max].
  Result<const Json*> get(std::string_view key) const;
  Result<std::string> get_string(std::string_view key) const;
  Result<bool> get_bool(std::string_view key) const;
  Result<std::int64_t> get_int(std::string_view key, std::int64_t min, std::int64_t max) const;
  Result<const Json*> get_array(std::string_view key) const;

  // Returns "where.key", for messages about the key's value.
  std::string path(std::string_view key) const;

 private:
  ObjectReader(const Json& object, std::string where) : object_(&object), where_(std::move(where)) {}
  const Json* object_;
  std::string where_;
};

}  // namespace hearsay
