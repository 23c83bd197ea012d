#include "hearsay/companion.h"

#include <algorithm>

#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/companion/rule_json.h"
#include "common/schema/names.h"
#include "common/schema/value_text.h"

namespace hearsay {

struct Companion::State {
  Schema schema;
  CsvLayout csv;
  std::vector<Rule> rules;  // one for each attribute, in the schema's order
};

namespace {

constexpr std::int64_t kVersion = 1;

Result<CsvLayout> layout_from_json(const Json& value) {
  constexpr std::size_t kMaxEncodingBytes = 64;
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(value, "csv"));
  HEARSAY_CHECK_OK(reader.allow_only({"separator", "encoding"}));
  CsvLayout layout;
  if (reader.has("separator")) {
    HEARSAY_TRY(const std::string text, reader.get_string("separator"));
    if (text.size() != 1 || std::string_view(",;|\t").find(text[0]) == std::string_view::npos) {
      return Error{ErrorCode::kInvalidArgument, "csv.separator must be a comma, a semicolon, a vertical bar or a tab"};
    }
    layout.separator = text[0];
  }
  if (reader.has("encoding")) {
    HEARSAY_TRY(layout.encoding, reader.get_string("encoding"));
    const bool printable = std::all_of(layout.encoding.begin(), layout.encoding.end(),
                                       [](char c) { return c > ' ' && c < 0x7f && c != '/'; });
    if (layout.encoding.empty() || layout.encoding.size() > kMaxEncodingBytes || !printable) {
      return Error{ErrorCode::kInvalidArgument, "csv.encoding must be the name of an encoding, such as windows-1252"};
    }
  }
  return layout;
}

std::string form_of(const NumberStyle& style) {
  return std::string("a number with the decimal mark ") + style.decimal_mark;
}

std::string form_of(const Rule& rule) {
  if (const auto* steps = std::get_if<StepsKind>(&rule.kind)) {
    return steps->whole ? "a whole number" : form_of(steps->style);
  }
  if (const auto* dates = std::get_if<DatesKind>(&rule.kind)) {
    if (dates->order == DateOrder::kYearMonthDay) return "a day like 2024-12-31";
    return dates->order == DateOrder::kDayMonthYear ? "a day like 31.12.2024" : "a day like 12/31/2024";
  }
  return form_of(std::get<BinsKind>(rule.kind).style);
}

// Returns words that say which texts mean a missing value: `, or empty or "NA"`. Returns an empty text if no text does.
std::string or_missing(const Rule& rule) {
  constexpr std::size_t kMostShown = 8;
  std::string words;
  std::size_t shown = 0;
  for (const auto& [text, index] : rule.spellings) {
    if (++shown > kMostShown) return words + ", …";
    words += (words.empty() ? ", or " : " or ") + (text.empty() ? "empty" : in_quotes(text));
  }
  return words;
}

}  // namespace

Result<Companion> Companion::parse(const Schema& schema, std::string_view json) {
  HEARSAY_TRY(const Json document, parse_json(json, {.max_bytes = kMaxJsonBytes}));
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(document, "companion"));
  if (reader.has("schema")) {
    return Error{ErrorCode::kInvalidArgument,
                 "this is a task document; `hearsay schema --companion` makes a companion document"};
  }
  HEARSAY_TRY(const std::int64_t version, reader.get_int("version", 0, INT64_MAX));
  if (version != kVersion) {
    return Error{ErrorCode::kInvalidArgument, "companion.version is " + std::to_string(version) +
                                                  "; this program reads companion documents of version 1"};
  }
  HEARSAY_CHECK_OK(reader.allow_only({"version", "csv", "attributes"}));
  auto state = std::make_shared<State>(State{schema, {}, std::vector<Rule>(schema.size())});
  if (reader.has("csv")) {
    HEARSAY_TRY(const Json* csv, reader.get("csv"));
    HEARSAY_TRY(state->csv, layout_from_json(*csv));
  }
  HEARSAY_TRY(const Json* list, reader.get_array("attributes"));
  std::vector<bool> read(schema.size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string where = "attributes[" + std::to_string(i) + "]";
    HEARSAY_TRY(auto rule, rule_from_json(schema, (*list)[i], where));
    if (read[rule.first]) {
      return Error{ErrorCode::kInvalidArgument,
                   where + " is the second rule for attribute " + shown_name(schema[rule.first].name())};
    }
    read[rule.first] = true;
    state->rules[rule.first] = std::move(rule.second);
  }
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (read[i]) continue;
    return Error{ErrorCode::kInvalidArgument,
                 "companion.attributes has no rule for attribute " + shown_name(schema[i].name())};
  }
  return Companion(std::move(state));
}

const Schema& Companion::schema() const { return state_->schema; }
const std::string& Companion::column(std::size_t attribute) const { return state_->rules[attribute].column; }
const CsvLayout& Companion::csv() const { return state_->csv; }

std::optional<std::uint32_t> Companion::index_from_text(std::size_t attribute, std::string_view text) const {
  return state_->rules[attribute].index_from_text(text);
}

std::string Companion::accepted_texts(std::size_t attribute) const {
  const Rule& rule = state_->rules[attribute];
  if (const auto* texts = std::get_if<TextsKind>(&rule.kind)) {
    if (texts->other) return "a text that is not empty";
    return "one of the texts of the companion document, for " + accepted_values(state_->schema[attribute], "yes or no");
  }
  return form_of(rule) + (rule.clamp ? "" : " within the ends of the companion document") + or_missing(rule);
}

Result<Record> Companion::record(const std::vector<RawText>& texts) const {
  std::unordered_map<std::string_view, std::string_view> by_column;
  std::vector<std::string_view> twice;
  for (const RawText& raw : texts) {
    if (!by_column.emplace(raw.column, raw.text).second) twice.push_back(raw.column);
  }
  std::vector<std::uint32_t> values;
  values.reserve(schema().size());
  for (std::size_t i = 0; i < schema().size(); ++i) {
    const std::string what = "attribute " + shown_name(schema()[i].name());
    const auto found = by_column.find(column(i));
    const bool repeated = std::find(twice.begin(), twice.end(), column(i)) != twice.end();
    if (found == by_column.end() || repeated) {
      return Error{ErrorCode::kInvalidRecord, what + ": there is " + (repeated ? "more than one text" : "no text") +
                                                  " of column " + in_quotes(column(i))};
    }
    const auto index = index_from_text(i, found->second);
    if (!index) {
      return Error{ErrorCode::kInvalidRecord,
                   what + ": column " + in_quotes(column(i)) + " must be " + accepted_texts(i)};
    }
    values.push_back(*index);
  }
  return Record::create(schema(), std::move(values));
}

Result<Record> Companion::record_from_json(std::string_view json) const {
  HEARSAY_TRY(const Json document, parse_json(json, {.max_bytes = kMaxJsonBytes}));
  if (!document.is_object()) return Error{ErrorCode::kInvalidRecord, "raw texts must be a JSON object of strings"};
  std::vector<RawText> texts;
  for (const auto& [column, text] : document.items()) {
    if (!text.is_string()) {
      return Error{ErrorCode::kInvalidRecord, "every member of the JSON object must be a string"};
    }
    texts.push_back({column, text.get<std::string>()});
  }
  return record(texts);
}

}  // namespace hearsay
