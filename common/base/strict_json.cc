#include "common/base/strict_json.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "common/base/try.h"
#include "common/base/utf8.h"

namespace hearsay {
namespace {

// `byte` counts from 1. If the text has several lines, the message also names the line.
Error at_byte(ErrorCode code, std::string_view what, std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const bool one_line = text.substr(0, text.find_last_not_of('\n') + 1).find('\n') == std::string_view::npos;
  return {code, std::string(what) + (one_line ? "" : " in line " + std::to_string(line)) + " at byte " +
                    std::to_string(byte)};
}

// Iterates over the text and counts the bytes that the parser has read. The library's SAX interface does not tell the
// position.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* bytes_read) : at_(at), bytes_read_(bytes_read) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*bytes_read_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* bytes_read_;
};

// Builds the document, and stops at the first fault. Keeps the open objects and arrays in a list instead of recursing.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, std::size_t max_depth, const std::size_t* bytes_read)
      : text_(text), max_depth_(max_depth), bytes_read_(bytes_read) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return fail(ErrorCode::kMalformedJson, "not valid JSON"); }
  bool start_object(std::size_t /*elements*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*elements*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    const auto [slot, inserted] = open_.back()->get_ref<Json::object_t&>().emplace(std::move(name), nullptr);
    if (!inserted) return fail(ErrorCode::kMalformedJson, "a key of a JSON object is given twice");
    slot_ = &slot->second;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/, const Json::exception& exception) override {
    constexpr int kNumberOutOfRange = 406;
    const bool number = exception.id == kNumberOutOfRange;
    error_ =
        at_byte(ErrorCode::kMalformedJson, number ? "a JSON number is too large" : "not valid JSON", text_, position);
    return false;
  }

  const std::optional<Error>& error() const { return error_; }
  Json take() { return std::move(root_); }

 private:
  bool fail(ErrorCode code, std::string_view what) {
    error_ = at_byte(code, what, text_, *bytes_read_);
    return false;
  }

  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    *slot_ = std::move(value);
    return slot_;
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json container) {
    if (open_.size() >= max_depth_) return fail(ErrorCode::kLimitExceeded, "the JSON document is nested too deeply");
    open_.push_back(place(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  std::size_t max_depth_;
  const std::size_t* bytes_read_;
  Json root_;
  std::vector<Json*> open_;  // a parent does not move while its child is open
  Json* slot_ = nullptr;     // the place for the value of the last key
  std::optional<Error> error_;
};

// Returns the key in quotes if the key is short and plain, and otherwise an empty text.
std::string describe_key(std::string_view key) {
  constexpr std::size_t kMaxShown = 40;
  const bool plain = !key.empty() && key.size() <= kMaxShown && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return plain ? " \"" + std::string(key) + "\"" : std::string();
}

// Returns a list of the keys for a message. Returns an empty text if there are many keys.
std::string describe_known(std::initializer_list<std::string_view> keys) {
  constexpr std::size_t kMaxShown = 12;
  if (keys.size() == 0 || keys.size() > kMaxShown) return "";
  std::string text;
  for (const std::string_view key : keys) text += (text.empty() ? "; known here: " : ", ") + std::string(key);
  return text;
}

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return Error{ErrorCode::kLimitExceeded,
                 "the JSON document is longer than " + std::to_string(limits.max_bytes) + " bytes"};
  }
  if (const auto invalid = find_invalid_utf8(text)) {
    return Error{ErrorCode::kMalformedJson, "not UTF-8 in line " + std::to_string(line_at(text, *invalid)) +
                                                " at byte " + std::to_string(*invalid + 1)};
  }
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    return at_byte(ErrorCode::kMalformedJson, "JSON allows no byte order mark: remove the one", text, 1);
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Error{ErrorCode::kMalformedJson, "not valid JSON at byte 1: the document is empty"};
  }
  // The parser below would take a zero byte for the end of the document.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return at_byte(ErrorCode::kMalformedJson, "not valid JSON", text, zero + 1);
  }
  std::size_t bytes_read = 0;
  Builder builder(text, limits.max_depth, &bytes_read);
  try {
    const bool complete = Json::sax_parse(CountingIterator(text.data(), &bytes_read),
                                          CountingIterator(text.data() + text.size(), &bytes_read), &builder);
    if (builder.error()) return *builder.error();
    if (!complete) return at_byte(ErrorCode::kMalformedJson, "not valid JSON", text, bytes_read);
  } catch (const Json::exception&) {
    return at_byte(ErrorCode::kMalformedJson, "not valid JSON", text, bytes_read);
  }
  return builder.take();
}

Result<ObjectReader> ObjectReader::create(const Json& value, std::string where) {
  if (!value.is_object()) {
    return Error{ErrorCode::kWrongType, (where.empty() ? "the document" : where) + " must be a JSON object"};
  }
  return ObjectReader(value, std::move(where));
}

Result<void> ObjectReader::allow_only(std::initializer_list<std::string_view> keys) const {
  for (const auto& member : object_->items()) {
    if (std::find(keys.begin(), keys.end(), member.key()) == keys.end()) {
      return Error{ErrorCode::kUnknownKey, (where_.empty() ? "the document" : where_) + " has an unknown key" +
                                               describe_key(member.key()) + describe_known(keys)};
    }
  }
  return {};
}

bool ObjectReader::has(std::string_view key) const { return object_->contains(key); }

Result<const Json*> ObjectReader::get(std::string_view key) const {
  const auto found = object_->find(key);
  if (found == object_->end()) return Error{ErrorCode::kMissingKey, path(key) + " is missing"};
  return &*found;
}

Result<std::string> ObjectReader::get_string(std::string_view key) const {
  HEARSAY_TRY(const Json* value, get(key));
  if (!value->is_string()) return Error{ErrorCode::kWrongType, path(key) + " must be a string"};
  return value->get_ref<const std::string&>();
}

Result<bool> ObjectReader::get_bool(std::string_view key) const {
  HEARSAY_TRY(const Json* value, get(key));
  if (!value->is_boolean()) return Error{ErrorCode::kWrongType, path(key) + " must be true or false"};
  return value->get<bool>();
}

Result<std::int64_t> ObjectReader::get_int(std::string_view key, std::int64_t min, std::int64_t max) const {
  HEARSAY_TRY(const Json* value, get(key));
  const auto bounds = [&] { return " from " + std::to_string(min) + " to " + std::to_string(max); };
  // The parser stores an integer beyond 64 bits as a double, so this check refuses the integer.
  if (!value->is_number_integer()) return Error{ErrorCode::kWrongType, path(key) + " must be an integer" + bounds()};
  const bool above = value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
  if (above || value->get<std::int64_t>() < min || value->get<std::int64_t>() > max) {
    return Error{ErrorCode::kInvalidArgument, path(key) + " must be" + bounds()};
  }
  return value->get<std::int64_t>();
}

Result<const Json*> ObjectReader::get_array(std::string_view key) const {
  HEARSAY_TRY(const Json* value, get(key));
  if (!value->is_array()) return Error{ErrorCode::kWrongType, path(key) + " must be a JSON array"};
  return value;
}

std::string ObjectReader::path(std::string_view key) const {
  return where_.empty() ? std::string(key) : where_ + "." + std::string(key);
}

}  // namespace hearsay
