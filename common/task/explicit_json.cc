#include "common/task/explicit_json.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "common/arrangement/explicit.h"
#include "common/base/encoding.h"
#include "common/base/try.h"

namespace hearsay {
namespace {

// Reads entries that are written as base64url, one byte in two's complement for each entry.
Result<std::vector<std::int8_t>> vectors_from_json(const ObjectReader& reader, std::string_view key) {
  HEARSAY_TRY(const std::string text, reader.get_string(key));
  const auto bytes = base64url_decode(text);
  if (!bytes) {
    return Error{ErrorCode::kInvalidTask, reader.path(key) + " must be unpadded base64url of one byte for each entry"};
  }
  std::vector<std::int8_t> entries;
  entries.reserve(bytes->size());
  for (const std::uint8_t byte : *bytes) entries.push_back(static_cast<std::int8_t>(byte));
  return entries;
}

std::string vectors_to_text(std::span<const std::int8_t> entries) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(entries.size());
  for (const std::int8_t entry : entries) bytes.push_back(static_cast<std::uint8_t>(entry));
  return base64url_encode(bytes);
}

void divide_by_common_divisor(std::vector<std::int8_t>& entries) {
  int divisor = 0;
  for (const std::int8_t entry : entries) {
    divisor = std::gcd(divisor, int{entry});
    if (divisor == 1) return;
  }
  if (divisor == 0) return;
  for (std::int8_t& entry : entries) entry = static_cast<std::int8_t>(entry / divisor);
}

}  // namespace

Result<ArrangementSpec> explicit_from_json(const ObjectReader& reader) {
  HEARSAY_CHECK_OK(reader.allow_only({"type", "dimension", "records", "queries"}));
  ExplicitSpec spec;
  const auto dimension = reader.get_int("dimension", 1, static_cast<std::int64_t>(Explicit::kMaxEntries));
  if (!dimension) {
    const Error& error = dimension.error();
    return Error{error.code == ErrorCode::kInvalidArgument ? ErrorCode::kInvalidTask : error.code, error.message};
  }
  spec.dimension = static_cast<std::uint32_t>(*dimension);
  HEARSAY_TRY(spec.records, vectors_from_json(reader, "records"));
  HEARSAY_TRY(const Json* queries, reader.get_array("queries"));
  spec.queries.reserve(queries->size());
  for (const Json& element : *queries) {
    const std::string where = reader.path("queries") + "[" + std::to_string(spec.queries.size()) + "]";
    HEARSAY_TRY(const ObjectReader query, ObjectReader::create(element, where));
    HEARSAY_CHECK_OK(query.allow_only({"query", "vector"}));
    HEARSAY_TRY(std::string text, query.get_string("query"));
    HEARSAY_TRY(std::vector<std::int8_t> vector, vectors_from_json(query, "vector"));
    spec.queries.push_back({std::move(text), std::move(vector)});
  }
  return ArrangementSpec(std::move(spec));
}

Json explicit_to_json(const ExplicitSpec& spec) {
  Json json = Json::object({{"type", "explicit"}, {"dimension", spec.dimension}});
  json["records"] = vectors_to_text(spec.records);
  json["queries"] = Json::array();
  for (const ExplicitQuery& query : spec.queries) {
    json["queries"].push_back(Json::object({{"query", query.query}, {"vector", vectors_to_text(query.vector)}}));
  }
  return json;
}

void make_canonical(ExplicitSpec& spec) {
  divide_by_common_divisor(spec.records);
  for (ExplicitQuery& query : spec.queries) divide_by_common_divisor(query.vector);
  std::stable_sort(spec.queries.begin(), spec.queries.end(),
                   [](const ExplicitQuery& a, const ExplicitQuery& b) { return a.query < b.query; });
}

}  // namespace hearsay
