#include "hearsay/schema.h"

#include <algorithm>
#include <limits>

#include "common/base/int128.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/schema/names.h"
#include "common/schema/schema_json.h"

namespace hearsay {
namespace {

// If there is an error, puts `where`, the attribute's path in the document, before the message.
Result<Attribute> located(const std::string& where, Result<Attribute> attribute) {
  if (attribute) return attribute;
  return Error{attribute.error().code, where + ": " + attribute.error().message};
}

Result<Attribute> categorical_from_json(const ObjectReader& reader, const std::string& where, std::string name) {
  HEARSAY_CHECK_OK(reader.allow_only({"name", "title", "type", "values"}));
  HEARSAY_TRY(const Json* list, reader.get_array("values"));
  std::vector<std::string> values;
  values.reserve(list->size());
  for (const Json& value : *list) {
    if (!value.is_string()) {
      return Error{ErrorCode::kWrongType,
                   reader.path("values") + "[" + std::to_string(values.size()) + "] must be a string"};
    }
    values.push_back(value.get_ref<const std::string&>());
  }
  return located(where, Attribute::categorical(std::move(name), std::move(values)));
}

Result<std::int64_t> range_end(const ObjectReader& reader, std::string_view key) {
  auto value = reader.get_int(key, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
  if (!value && value.error().code == ErrorCode::kInvalidArgument) {
    return Error{ErrorCode::kInvalidSchema, value.error().message};
  }
  return value;
}

Result<Attribute> range_from_json(const ObjectReader& reader, const std::string& where, std::string name) {
  HEARSAY_CHECK_OK(reader.allow_only({"name", "title", "unit", "type", "min", "max"}));
  HEARSAY_TRY(const std::int64_t min, range_end(reader, "min"));
  HEARSAY_TRY(const std::int64_t max, range_end(reader, "max"));
  return located(where, Attribute::range(std::move(name), min, max));
}

// Reads the attribute without its title and unit.
Result<Attribute> values_from_json(const ObjectReader& reader, const std::string& where) {
  HEARSAY_TRY(const std::string type, reader.get_string("type"));
  HEARSAY_TRY(std::string name, reader.get_string("name"));
  if (type == "categorical") return categorical_from_json(reader, where, std::move(name));
  if (type == "range") return range_from_json(reader, where, std::move(name));
  if (type != "boolean") {
    return Error{ErrorCode::kInvalidSchema, reader.path("type") + " must be boolean, categorical or range"};
  }
  HEARSAY_CHECK_OK(reader.allow_only({"name", "title", "type"}));
  return located(where, Attribute::boolean(std::move(name)));
}

Result<Attribute> attribute_from_json(const Json& value, const std::string& where) {
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(value, where));
  HEARSAY_TRY(Attribute attribute, values_from_json(reader, where));
  if (reader.has("title")) {
    HEARSAY_TRY(std::string title, reader.get_string("title"));
    HEARSAY_TRY(attribute, located(where, std::move(attribute).with_title(std::move(title))));
  }
  if (reader.has("unit")) {
    HEARSAY_TRY(std::string unit, reader.get_string("unit"));
    HEARSAY_TRY(attribute, located(where, std::move(attribute).with_unit(std::move(unit))));
  }
  return attribute;
}

Json attribute_to_json(const Attribute& attribute) {
  Json json = Json::object();
  json["name"] = attribute.name();
  if (!attribute.title().empty()) json["title"] = attribute.title();
  if (!attribute.unit().empty()) json["unit"] = attribute.unit();
  switch (attribute.kind()) {
    case AttributeKind::kBoolean:
      json["type"] = "boolean";
      break;
    case AttributeKind::kCategorical:
      json["type"] = "categorical";
      json["values"] = attribute.values();
      break;
    case AttributeKind::kRange:
      json["type"] = "range";
      json["min"] = attribute.min();
      json["max"] = attribute.max();
      break;
  }
  return json;
}

}  // namespace

Result<Schema> Schema::create(std::vector<Attribute> attributes) {
  if (attributes.empty() || attributes.size() > kMaxAttributes) {
    return Error{ErrorCode::kInvalidSchema,
                 "a schema must have 1 to " + std::to_string(kMaxAttributes) + " attributes"};
  }
  Schema schema;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (!schema.index_.emplace(attributes[i].name(), i).second) {
      return Error{ErrorCode::kInvalidSchema, "two attributes have the name " + shown_name(attributes[i].name())};
    }
  }
  schema.attributes_ = std::move(attributes);
  return schema;
}

Result<Schema> Schema::parse(std::string_view json) {
  HEARSAY_TRY(const Json document, parse_json(json));
  return schema_from_json(document, "schema");
}

std::optional<std::size_t> Schema::find(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint64_t> Schema::universe_size() const {
  constexpr Uint128 kLimit = Uint128{1} << 63U;
  Uint128 size = 1;
  for (const Attribute& attribute : attributes_) {
    size *= attribute.size();
    if (size > kLimit) return std::nullopt;
  }
  return static_cast<std::uint64_t>(size);
}

bool Schema::has_same_records(const Schema& other) const {
  return std::equal(attributes_.begin(), attributes_.end(), other.attributes_.begin(), other.attributes_.end(),
                    [](const Attribute& a, const Attribute& b) { return a.has_same_values(b); });
}

std::string Schema::to_json() const { return schema_to_json(*this).dump(); }

Result<Schema> schema_from_json(const Json& value, const std::string& where) {
  if (value.is_object() && value.contains("schema")) {
    return Error{ErrorCode::kWrongType,
                 where + " must be a JSON array, and this is a task document; its member `schema` is the schema"};
  }
  if (!value.is_array()) return Error{ErrorCode::kWrongType, where + " must be a JSON array"};
  if (value.size() > Schema::kMaxAttributes) {
    return Error{ErrorCode::kInvalidSchema,
                 where + " must have at most " + std::to_string(Schema::kMaxAttributes) + " attributes"};
  }
  std::vector<Attribute> attributes;
  attributes.reserve(value.size());
  for (const Json& item : value) {
    HEARSAY_TRY(Attribute attribute, attribute_from_json(item, where + "[" + std::to_string(attributes.size()) + "]"));
    attributes.push_back(std::move(attribute));
  }
  return Schema::create(std::move(attributes));
}

Json schema_to_json(const Schema& schema) {
  Json json = Json::array();
  for (const Attribute& attribute : schema.attributes()) json.push_back(attribute_to_json(attribute));
  return json;
}

}  // namespace hearsay
