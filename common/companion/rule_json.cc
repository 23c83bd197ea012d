#include "common/companion/rule_json.h"

#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/schema/names.h"
#include "common/schema/value_text.h"
#include "hearsay/companion.h"

namespace hearsay {
namespace {

Error at(const std::string& where, const std::string& fault) { return {ErrorCode::kInvalidArgument, where + fault}; }

std::string element(const std::string& where, std::size_t i) { return where + "[" + std::to_string(i) + "]"; }

Result<void> check_text(const std::string& text, const std::string& where) {
  if (text.size() > Companion::kMaxTextBytes) {
    return Error{ErrorCode::kLimitExceeded,
                 where + " has more than " + std::to_string(Companion::kMaxTextBytes) + " bytes"};
  }
  if (trimmed(text) != text) return at(where, " begins or ends with white space, which never counts: remove it");
  return {};
}

// Adds a list of raw texts to the rule. All these texts mean the value with this index.
Result<void> add_spellings(const Json& list, std::uint32_t index, const std::string& where, Rule& rule) {
  if (!list.is_array()) return Error{ErrorCode::kWrongType, where + " must be an array of strings"};
  if (list.empty()) return at(where, " must have at least one text");
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_string()) return Error{ErrorCode::kWrongType, element(where, i) + " must be a string"};
    const auto& text = list[i].get_ref<const std::string&>();
    HEARSAY_CHECK_OK(check_text(text, element(where, i)));
    if (!rule.spellings.emplace(text, index).second) {
      return at(element(where, i), " repeats a text of this attribute");
    }
  }
  return {};
}

// Returns the index of a value, given in the spelling of value_text().
Result<std::uint32_t> index_of(const Attribute& attribute, const std::string& text, const std::string& where) {
  const auto index = value_from_text(attribute, text);
  if (!index || attribute.value_text(*index) != text) {
    return at(where, " must be a value of attribute " + shown_name(attribute.name()) + ": " +
                         accepted_values(attribute, "yes or no"));
  }
  return *index;
}

// Returns the index of the value that means "missing", if there is one.
Result<std::optional<std::uint32_t>> missing_from_json(const Attribute& attribute, const ObjectReader& reader,
                                                       Rule& rule) {
  if (!reader.has("missing")) return std::optional<std::uint32_t>();
  HEARSAY_TRY(const Json* value, reader.get("missing"));
  HEARSAY_TRY(const ObjectReader missing, ObjectReader::create(*value, reader.path("missing")));
  HEARSAY_CHECK_OK(missing.allow_only({"value", "texts"}));
  HEARSAY_TRY(const std::string text, missing.get_string("value"));
  HEARSAY_TRY(const std::uint32_t index, index_of(attribute, text, missing.path("value")));
  HEARSAY_TRY(const Json* texts, missing.get_array("texts"));
  HEARSAY_CHECK_OK(add_spellings(*texts, index, missing.path("texts"), rule));
  return std::optional(index);
}

Result<void> texts_from_json(const Attribute& attribute, const ObjectReader& reader,
                             std::optional<std::uint32_t> missing, Rule& rule) {
  HEARSAY_CHECK_OK(reader.allow_only({"attribute", "column", "kind", "missing", "texts", "other"}));
  std::vector<bool> read(attribute.size());
  if (missing) read[*missing] = true;
  TextsKind kind;
  if (reader.has("other")) {
    HEARSAY_TRY(const std::string other, reader.get_string("other"));
    HEARSAY_TRY(kind.other, index_of(attribute, other, reader.path("other")));
    read[*kind.other] = true;
  }
  HEARSAY_TRY(const Json* json, reader.get("texts"));
  if (!json->is_object()) return Error{ErrorCode::kWrongType, reader.path("texts") + " must be an object"};
  for (const auto& [value, list] : json->items()) {
    const std::string where = reader.path("texts") + "." + in_quotes(value);
    HEARSAY_TRY(const std::uint32_t index, index_of(attribute, value, where));
    HEARSAY_CHECK_OK(add_spellings(list, index, where, rule));
    read[index] = true;
  }
  for (std::uint32_t index = 0; index < attribute.size(); ++index) {
    if (!read[index]) return at(reader.path("texts"), " has no text for " + in_quotes(attribute.value_text(index)));
  }
  rule.kind = kind;
  return {};
}

Result<NumberStyle> style_from_json(const ObjectReader& reader) {
  NumberStyle style;
  const auto one_of = [&reader](std::string_view key, std::string_view marks) -> Result<char> {
    HEARSAY_TRY(const std::string text, reader.get_string(key));
    if (text.size() == 1 && marks.find(text[0]) != std::string_view::npos) return text[0];
    return at(reader.path(key), " must be one of the characters in [" + std::string(marks) + "]");
  };
  if (reader.has("decimal_mark")) {
    HEARSAY_TRY(style.decimal_mark, one_of("decimal_mark", ".,"));
  }
  if (reader.has("grouping")) {
    HEARSAY_TRY(style.grouping, one_of("grouping", ",.' "));
    if (style.grouping == style.decimal_mark)
      return at(reader.path("grouping"), " must be another character than decimal_mark");
  }
  return style;
}

Result<Decimal> decimal_from_json(const std::string& text, const std::string& where) {
  const auto number = decimal_from_text(text);
  if (!number || !number->exact || text.find_first_of("eE+") != std::string::npos) {
    return at(where,
              " must be a number in decimal text, such as 18.5, with at most 18 digits on each side of the point");
  }
  return *number;
}

Result<std::chrono::sys_days> day_from_json(const std::string& text, const std::string& where) {
  constexpr std::size_t kLength = 10;
  const auto day = day_from_text(text, DateOrder::kYearMonthDay);
  if (day && text.size() == kLength && text[4] == '-') return *day;
  return at(where, " must be a day as YYYY-MM-DD");
}

// Returns the edges of the bins; there is one bin for each value from rule.first to rule.last.
template <class T, class Read, class Less>
Result<std::vector<T>> edges_from_json(const ObjectReader& reader, const Rule& rule, const Read& read,
                                       const Less& less) {
  HEARSAY_TRY(const Json* list, reader.get_array("edges"));
  const std::string where = reader.path("edges");
  const std::size_t wanted = std::size_t{rule.last} - rule.first + 2;
  if (list->size() != wanted) {
    return at(where, " must have " + std::to_string(wanted) +
                         " edges, one more than the attribute's values without the missing one, and has " +
                         std::to_string(list->size()));
  }
  std::vector<T> edges;
  edges.reserve(wanted);
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (!(*list)[i].is_string()) return Error{ErrorCode::kWrongType, element(where, i) + " must be a string"};
    HEARSAY_TRY(T edge, read((*list)[i].template get_ref<const std::string&>(), element(where, i)));
    if (i > 0 && !less(edges.back(), edge)) return at(element(where, i), " must be above the edge before it");
    edges.push_back(edge);
  }
  return edges;
}

Result<DateOrder> order_from_json(const ObjectReader& reader) {
  HEARSAY_TRY(const std::string order, reader.get_string("order"));
  if (order == "ymd") return DateOrder::kYearMonthDay;
  if (order == "dmy") return DateOrder::kDayMonthYear;
  if (order == "mdy") return DateOrder::kMonthDayYear;
  return at(reader.path("order"), " must be ymd, dmy or mdy");
}

// Sets which values numbers and dates can mean: all except the value for "missing", which must be the first or the
// last.
Result<void> set_ends(const Attribute& attribute, const ObjectReader& reader, std::optional<std::uint32_t> missing,
                      Rule& rule) {
  rule.first = 0;
  rule.last = attribute.size() - 1;
  if (missing == rule.first)
    ++rule.first;
  else if (missing == rule.last)
    --rule.last;
  else if (missing)
    return at(reader.path("missing"), ": the value must be the first or the last value of the attribute");
  HEARSAY_TRY(const std::string outside, reader.get_string("outside"));
  if (outside != "clamp" && outside != "refuse") return at(reader.path("outside"), " must be clamp or refuse");
  rule.clamp = outside == "clamp";
  return {};
}

Result<void> steps_from_json(const Attribute& attribute, const ObjectReader& reader, bool whole, Rule& rule) {
  if (attribute.kind() != AttributeKind::kRange) {
    return at(reader.path("kind"), " fits only integer ranges, and the schema's attribute is not an integer range");
  }
  StepsKind kind{.style = {}, .step = {.scaled = Decimal::kOne}, .whole = whole, .first = attribute.min() + rule.first};
  HEARSAY_TRY(kind.style, style_from_json(reader));
  if (!whole) {
    HEARSAY_TRY(const std::string text, reader.get_string("step"));
    HEARSAY_TRY(kind.step, decimal_from_json(text, reader.path("step")));
    if (kind.step.scaled <= 0) return at(reader.path("step"), " must be above 0");
    // Numbers beyond ±10^18 count as ±10^18. So 10^18 must lie above all values, and -10^18 below all values. With
    // `clamp`, -10^18 may also mean the first value.
    constexpr Int128 kMost = Decimal::kOne * Decimal::kOne;
    const Int128 above = Int128{attribute.min()} + rule.last + 1;
    const Int128 below = -Int128{kind.first};
    if (above > kMost / kind.step.scaled || below > (rule.clamp ? kMost : kMost - 1) / kind.step.scaled) {
      return at(reader.path("step"), " is too large: values would mean numbers beyond ±10^18");
    }
  }
  rule.kind = kind;
  return {};
}

Result<void> bins_from_json(const ObjectReader& reader, Rule& rule) {
  BinsKind kind;
  HEARSAY_TRY(kind.style, style_from_json(reader));
  const auto less = [](const Decimal& a, const Decimal& b) { return a.scaled < b.scaled; };
  HEARSAY_TRY(kind.edges, edges_from_json<Decimal>(reader, rule, &decimal_from_json, less));
  rule.kind = std::move(kind);
  return {};
}

Result<void> dates_from_json(const ObjectReader& reader, Rule& rule) {
  DatesKind kind;
  HEARSAY_TRY(kind.order, order_from_json(reader));
  HEARSAY_TRY(kind.edges, edges_from_json<std::chrono::sys_days>(reader, rule, &day_from_json, std::less<>()));
  rule.kind = std::move(kind);
  return {};
}

Result<void> ordered_from_json(const Attribute& attribute, const ObjectReader& reader, const std::string& kind,
                               std::optional<std::uint32_t> missing, Rule& rule) {
  if (kind == "integer") {
    HEARSAY_CHECK_OK(
        reader.allow_only({"attribute", "column", "kind", "missing", "outside", "decimal_mark", "grouping"}));
  } else if (kind == "steps") {
    HEARSAY_CHECK_OK(
        reader.allow_only({"attribute", "column", "kind", "missing", "outside", "decimal_mark", "grouping", "step"}));
  } else if (kind == "bins") {
    HEARSAY_CHECK_OK(
        reader.allow_only({"attribute", "column", "kind", "missing", "outside", "decimal_mark", "grouping", "edges"}));
  } else if (kind == "dates") {
    HEARSAY_CHECK_OK(reader.allow_only({"attribute", "column", "kind", "missing", "outside", "order", "edges"}));
  } else {
    return at(reader.path("kind"), " must be texts, integer, steps, bins or dates");
  }
  HEARSAY_CHECK_OK(set_ends(attribute, reader, missing, rule));
  if (kind == "integer" || kind == "steps") return steps_from_json(attribute, reader, kind == "integer", rule);
  if (attribute.kind() == AttributeKind::kBoolean) {
    return at(reader.path("kind"),
              " fits only integer ranges and categorical attributes, and the attribute is boolean");
  }
  return kind == "bins" ? bins_from_json(reader, rule) : dates_from_json(reader, rule);
}

}  // namespace

Result<std::pair<std::size_t, Rule>> rule_from_json(const Schema& schema, const Json& value, const std::string& where) {
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(value, where));
  HEARSAY_TRY(const std::string name, reader.get_string("attribute"));
  const auto place = schema.find(name);
  if (!place) return at(reader.path("attribute"), " is no attribute of the schema");
  const Attribute& attribute = schema[*place];
  Rule rule;
  HEARSAY_TRY(rule.column, reader.get_string("column"));
  HEARSAY_CHECK_OK(check_text(rule.column, reader.path("column")));
  HEARSAY_TRY(const std::string kind, reader.get_string("kind"));
  HEARSAY_TRY(const auto missing, missing_from_json(attribute, reader, rule));
  HEARSAY_CHECK_OK(kind == "texts" ? texts_from_json(attribute, reader, missing, rule)
                                   : ordered_from_json(attribute, reader, kind, missing, rule));
  return std::pair{*place, std::move(rule)};
}

}  // namespace hearsay
