#include "hearsay/record.h"

#include <string>

#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/schema/names.h"
#include "common/schema/value_text.h"

namespace hearsay {
namespace {

constexpr JsonLimits kLimits{.max_bytes = 4U << 20U};  // 4096 attributes with the longest names fit

Error invalid_record(std::string message) { return {ErrorCode::kInvalidRecord, std::move(message)}; }

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
      const auto integer = value.get<std::int64_t>();
      if (integer < attribute.min() || integer > attribute.max()) break;
      return static_cast<std::uint32_t>(integer - attribute.min());
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
  // Such a member is not named: it could be somebody's value.
  if (document.size() != schema.size()) return invalid_record("the record has a member that is not an attribute");
  return Record(std::move(values));
}

}  // namespace hearsay
