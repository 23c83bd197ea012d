#include "hearsay/record.h"

#include <optional>
#include <string>

#include "common/base/json_text.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/schema/names.h"
#include "common/schema/record_json.h"
#include "common/schema/value_text.h"

namespace hearsay {
namespace {

constexpr JsonLimits kLimits{.max_bytes = 4U << 20U};  // 4096 attributes with the longest names fit

Error invalid_record(std::string message) { return {ErrorCode::kInvalidRecord, std::move(message)}; }

std::optional<std::uint32_t> index_from_integer(const Attribute& attribute, std::int64_t integer) {
  if (integer < attribute.min() || integer > attribute.max()) return std::nullopt;
  return static_cast<std::uint32_t>(integer - attribute.min());
}

std::optional<std::uint32_t> index_from(const Attribute& attribute, const NamedValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.value)) return value_from_text(attribute, *text);
  const AttributeKind kind = attribute.kind();
  if (const auto* yes = std::get_if<bool>(&value.value); yes != nullptr && kind == AttributeKind::kBoolean) {
    return *yes ? 1U : 0U;
  }
  const auto* integer = std::get_if<std::int64_t>(&value.value);
  if (integer == nullptr || kind != AttributeKind::kRange) return std::nullopt;
  return index_from_integer(attribute, *integer);
}

Result<std::uint32_t> index_from_json(const Attribute& attribute, const Json& value) {
  switch (attribute.kind()) {
    case AttributeKind::kBoolean:
      if (value.is_boolean()) return value.get<bool>() ? 1U : 0U;
      break;
    case AttributeKind::kCategorical:
      if (value.is_string()) {
        if (const auto index = attribute.index_of(value.get_ref<const std::string&>())) return *index;
      }
      break;
    case AttributeKind::kRange: {
      const bool small =
          value.is_number_integer() &&
          !(value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX));
      if (!small) break;
      if (const auto index = index_from_integer(attribute, value.get<std::int64_t>())) return *index;
      break;
    }
  }
  return invalid_record("attribute " + shown_name(attribute.name()) + " must be " +
                        accepted_values(attribute, "true or false"));
}

}  // namespace

Result<Record> Record::create(const Schema& schema, std::vector<std::uint32_t> values) {
  if (values.size() != schema.size()) {
    return invalid_record("a record of this schema has " + std::to_string(schema.size()) + " values");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= schema[i].size()) {
      return invalid_record("attribute " + shown_name(schema[i].name()) + " has " + std::to_string(schema[i].size()) +
                            " values; an index must be below that");
    }
  }
  return Record(std::move(values));
}

Result<Record> Record::from_values(const Schema& schema, const std::vector<NamedValue>& values) {
  std::vector<std::optional<std::uint32_t>> found(schema.size());
  for (const NamedValue& value : values) {
    const auto place = schema.find(value.name);
    if (!place) return invalid_record("the record has a value of something that is not an attribute");
    const Attribute& attribute = schema[*place];
    if (found[*place]) return invalid_record("the record has attribute " + shown_name(attribute.name()) + " twice");
    found[*place] = index_from(attribute, value);
    if (!found[*place]) {
      return invalid_record("attribute " + shown_name(attribute.name()) + " must be " +
                            accepted_values(attribute, "true or false"));
    }
  }
  std::vector<std::uint32_t> indices;
  indices.reserve(schema.size());
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (!found[i]) return invalid_record("the record lacks attribute " + shown_name(schema[i].name()));
    indices.push_back(*found[i]);
  }
  return Record(std::move(indices));
}

Result<Record> Record::parse(const Schema& schema, std::string_view json) {
  HEARSAY_TRY(const Json document, parse_json(json, kLimits));
  if (!document.is_object()) return invalid_record("a record must be a JSON object");
  std::vector<std::uint32_t> values;
  values.reserve(schema.size());
  for (const Attribute& attribute : schema.attributes()) {
    const auto member = document.find(attribute.name());
    if (member == document.end()) return invalid_record("the record lacks attribute " + shown_name(attribute.name()));
    HEARSAY_TRY(const std::uint32_t index, index_from_json(attribute, *member));
    values.push_back(index);
  }
  // The message does not name the member, since its name could be somebody's value.
  if (document.size() != schema.size()) return invalid_record("the record has a member that is not an attribute");
  return Record(std::move(values));
}

std::string record_json(const Schema& schema, const Record& record) {
  Json json = Json::object();
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const Attribute& attribute = schema[i];
    Json& value = json[attribute.name()];
    if (attribute.kind() == AttributeKind::kBoolean)
      value = record[i] == 1;
    else if (attribute.kind() == AttributeKind::kRange)
      value = attribute.min() + record[i];
    else
      value = attribute.values()[record[i]];
  }
  return json_text(json);
}

}  // namespace hearsay
