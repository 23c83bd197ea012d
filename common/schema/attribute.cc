#include <algorithm>

#include "common/base/try.h"
#include "common/base/utf8.h"
#include "common/schema/reserved_words.h"
#include "hearsay/schema.h"

namespace hearsay {
namespace {

constexpr std::int64_t kMaxMagnitude = std::int64_t{1} << 53U;  // every JSON reader holds these integers exactly

Error invalid(std::string message) { return {ErrorCode::kInvalidSchema, std::move(message)}; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

Result<void> check_name(std::string_view name) {
  if (name.empty() || name.size() > Attribute::kMaxNameBytes) {
    return invalid("the name of an attribute must have 1 to " + std::to_string(Attribute::kMaxNameBytes) + " bytes");
  }
  if (!is_letter(name[0]) ||
      !std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); })) {
    return invalid("the name of an attribute must be a letter or underscore, then letters, digits or underscores");
  }
  if (is_reserved_word(name)) {
    return invalid("the name of an attribute must not be a word of the query language: " + std::string(name));
  }
  return {};
}

Result<void> check_value(const std::string& attribute, std::string_view value) {
  if (value.empty() || value.size() > Attribute::kMaxNameBytes) {
    return invalid("a value of attribute " + attribute + " must have 1 to " + std::to_string(Attribute::kMaxNameBytes) +
                   " bytes");
  }
  for (std::size_t offset = 0; offset < value.size();) {
    const auto point = next_code_point(value, offset);
    if (!point) return invalid("a value of attribute " + attribute + " is not UTF-8");
    if (is_control(*point)) return invalid("a value of attribute " + attribute + " has a control character");
  }
  return {};
}

}  // namespace

Result<Attribute> Attribute::boolean(std::string name) {
  HEARSAY_CHECK_OK(check_name(name));
  Attribute attribute;
  attribute.name_ = std::move(name);
  return attribute;
}

Result<Attribute> Attribute::categorical(std::string name, std::vector<std::string> values) {
  HEARSAY_CHECK_OK(check_name(name));
  if (values.size() < 2 || values.size() > kMaxSize) {
    return invalid("attribute " + name + " must have 2 to " + std::to_string(kMaxSize) + " values");
  }
  Attribute attribute;
  attribute.kind_ = AttributeKind::kCategorical;
  attribute.size_ = static_cast<std::uint32_t>(values.size());
  for (std::uint32_t i = 0; i < attribute.size_; ++i) {
    HEARSAY_CHECK_OK(check_value(name, values[i]));
    if (!attribute.index_.emplace(values[i], i).second) return invalid("attribute " + name + " has a value twice");
  }
  attribute.name_ = std::move(name);
  attribute.values_ = std::move(values);
  return attribute;
}

Result<Attribute> Attribute::range(std::string name, std::int64_t min, std::int64_t max) {
  HEARSAY_CHECK_OK(check_name(name));
  if (min < -kMaxMagnitude || max > kMaxMagnitude || min >= max) {
    return invalid("attribute " + name + " must have min < max, both within 2^53 of zero");
  }
  if (max - min >= kMaxSize) {
    return invalid("attribute " + name + " must have at most " + std::to_string(kMaxSize) + " values");
  }
  Attribute attribute;
  attribute.kind_ = AttributeKind::kRange;
  attribute.size_ = static_cast<std::uint32_t>(max - min + 1);
  attribute.min_ = min;
  attribute.name_ = std::move(name);
  return attribute;
}

std::optional<std::uint32_t> Attribute::index_of(std::string_view value) const {
  const auto found = index_.find(std::string(value));
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::string Attribute::value_text(std::uint32_t index) const {
  switch (kind_) {
    case AttributeKind::kBoolean:
      return index == 0 ? "no" : "yes";
    case AttributeKind::kCategorical:
      return values_[index];
    case AttributeKind::kRange:
      break;
  }
  return std::to_string(min_ + index);
}

bool Attribute::operator==(const Attribute& other) const {
  return name_ == other.name_ && kind_ == other.kind_ && size_ == other.size_ && min_ == other.min_ &&
         values_ == other.values_;
}

}  // namespace hearsay
