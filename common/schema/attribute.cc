#include "common/base/number_text.h"
#include "common/base/try.h"
#include "common/schema/names.h"
#include "hearsay/schema.h"

namespace hearsay {
namespace {

constexpr std::int64_t kMaxMagnitude = std::int64_t{1} << 53U;  // a double holds these integers exactly

Error invalid(std::string message) { return {ErrorCode::kInvalidSchema, std::move(message)}; }

Result<void> check_own_name(std::string_view name) { return check_name(name, "the name of an attribute"); }

Result<void> check_value(const std::string& shown, std::string_view value) {
  const std::string what = "a value of attribute " + shown;
  if (value.empty() || value.size() > Attribute::kMaxNameBytes) {
    return invalid(what + " must have 1 to " + std::to_string(Attribute::kMaxNameBytes) + " bytes");
  }
  return check_printable(value, what);
}

}  // namespace

Result<Attribute> Attribute::boolean(std::string name) {
  HEARSAY_CHECK_OK(check_own_name(name));
  Attribute attribute;
  attribute.name_ = std::move(name);
  return attribute;
}

Result<Attribute> Attribute::categorical(std::string name, std::vector<std::string> values) {
  HEARSAY_CHECK_OK(check_own_name(name));
  const std::string shown = shown_name(name);
  if (values.size() < 2 || values.size() > kMaxSize) {
    return invalid("attribute " + shown + " must have 2 to " + with_separators(kMaxSize) + " values, and has " +
                   with_separators(values.size()));
  }
  Attribute attribute;
  attribute.kind_ = AttributeKind::kCategorical;
  attribute.size_ = static_cast<std::uint32_t>(values.size());
  for (std::uint32_t i = 0; i < attribute.size_; ++i) {
    HEARSAY_CHECK_OK(check_value(shown, values[i]));
    if (!attribute.index_.emplace(values[i], i).second) {
      return invalid("attribute " + shown + " has the value " + in_quotes(values[i]) + " twice");
    }
  }
  attribute.name_ = std::move(name);
  attribute.values_ = std::move(values);
  return attribute;
}

Result<Attribute> Attribute::range(std::string name, std::int64_t min, std::int64_t max) {
  HEARSAY_CHECK_OK(check_own_name(name));
  if (min < -kMaxMagnitude || max > kMaxMagnitude || min >= max) {
    return invalid("attribute " + shown_name(name) + " must have min < max, both within 2^53 of zero");
  }
  if (max - min >= kMaxSize) {
    return invalid("attribute " + shown_name(name) + " has " +
                   with_separators(static_cast<std::uint64_t>(max - min) + 1) + " values, and at most " +
                   with_separators(kMaxSize) + " are allowed: take coarser ones, such as years in place of days");
  }
  Attribute attribute;
  attribute.kind_ = AttributeKind::kRange;
  attribute.size_ = static_cast<std::uint32_t>(max - min + 1);
  attribute.min_ = min;
  attribute.name_ = std::move(name);
  return attribute;
}

Result<Attribute> Attribute::with_title(std::string title) && {
  const std::string what = "the title of attribute " + shown_name(name_);
  if (title.size() > kMaxTitleBytes) {
    return invalid(what + " must have at most " + std::to_string(kMaxTitleBytes) + " bytes");
  }
  HEARSAY_CHECK_OK(check_printable(title, what));
  title_ = std::move(title);
  return std::move(*this);
}

Result<Attribute> Attribute::with_unit(std::string unit) && {
  const std::string what = "the unit of attribute " + shown_name(name_);
  if (kind_ != AttributeKind::kRange) return invalid(what + " must be left out: only integer ranges have a unit");
  if (unit.size() > kMaxUnitBytes) {
    return invalid(what + " must have at most " + std::to_string(kMaxUnitBytes) + " bytes");
  }
  HEARSAY_CHECK_OK(check_printable(unit, what));
  unit_ = std::move(unit);
  return std::move(*this);
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

bool Attribute::has_same_values(const Attribute& other) const {
  return name_ == other.name_ && kind_ == other.kind_ && size_ == other.size_ && min_ == other.min_ &&
         values_ == other.values_;
}

bool Attribute::operator==(const Attribute& other) const {
  return has_same_values(other) && title_ == other.title_ && unit_ == other.unit_;
}

}  // namespace hearsay
