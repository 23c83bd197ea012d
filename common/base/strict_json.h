// Reads JSON strictly: one document of bounded size and depth, without duplicate keys, with finite numbers.
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
// that overflows a double), kLimitExceeded (too long, or nested too deeply). The message of a syntax error gives the
// byte, and also the line if the text has several lines. The message quotes no input.
Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

// Reads the members of one JSON object. If a member is missing or has another type, the functions below return an error
// whose message names the member's path, e.g. "schema[2].min". The object must outlive the reader.
class ObjectReader {
 public:
  // `where` is the path of `value` in the document, e.g. "schema[2]". Errors: kWrongType unless `value` is an object.
  static Result<ObjectReader> create(const Json& value, std::string where);

  // Errors: kUnknownKey if the object has a key that is not listed.
  Result<void> allow_only(std::initializer_list<std::string_view> keys) const;

  bool has(std::string_view key) const;
  // These functions return the key's value. Errors: kMissingKey; kWrongType, except for get(); kInvalidArgument for
  // get_int(), if the integer lies outside [min, max].
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
