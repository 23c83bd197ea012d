#include "aggregator/store/postgres/parameters.h"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstring>

namespace hearsay::store::postgres {
namespace {

// The object identifiers of PostgreSQL's built-in types, which are fixed.
constexpr std::uint32_t kBytea = 17;
constexpr std::uint32_t kInt8 = 20;
constexpr std::uint32_t kInt4 = 23;
constexpr std::uint32_t kUuid = 2950;

template <std::unsigned_integral T>
void put(std::string& out, T value) {
  std::array<char, sizeof(T)> bytes;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes[i] = static_cast<char>(static_cast<std::uint8_t>(value >> 8U * (sizeof(T) - 1 - i)));
  }
  out.append(bytes.data(), bytes.size());
}

template <std::unsigned_integral T>
T take(std::string_view bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T) && i < bytes.size(); ++i) {
    value = static_cast<T>(value << 8U) | static_cast<std::uint8_t>(bytes[i]);
  }
  return value;
}

// Writes an array of one dimension without nulls. `element` appends one value.
template <class Values, class Element>
std::string array(std::uint32_t type, const Values& values, std::size_t bytes_each, const Element& element) {
  std::string out;
  out.reserve(20 + values.size() * (4 + bytes_each));
  put(out, std::uint32_t{values.empty() ? 0U : 1U});
  put(out, std::uint32_t{0});
  put(out, type);
  if (values.empty()) return out;
  put(out, static_cast<std::uint32_t>(values.size()));
  put(out, std::uint32_t{1});
  for (const auto& value : values) element(out, value);
  return out;
}

}  // namespace

Parameters& Parameters::int4(std::int32_t value) {
  put(values_.emplace_back(), static_cast<std::uint32_t>(value));
  return *this;
}

Parameters& Parameters::int8(std::int64_t value) {
  put(values_.emplace_back(), static_cast<std::uint64_t>(value));
  return *this;
}

Parameters& Parameters::bytes(std::string_view value) {
  values_.emplace_back(value);
  return *this;
}

Parameters& Parameters::int4s(std::span<const std::int32_t> values) {
  values_.push_back(array(kInt4, values, 4, [](std::string& out, std::int32_t value) {
    put(out, std::uint32_t{4});
    put(out, static_cast<std::uint32_t>(value));
  }));
  return *this;
}

Parameters& Parameters::int8s(std::span<const std::int64_t> values) {
  values_.push_back(array(kInt8, values, 8, [](std::string& out, std::int64_t value) {
    put(out, std::uint32_t{8});
    put(out, static_cast<std::uint64_t>(value));
  }));
  return *this;
}

Parameters& Parameters::uuids(std::span<const Bytes16> values) {
  values_.push_back(array(kUuid, values, 16, [](std::string& out, const Bytes16& value) {
    put(out, std::uint32_t{16});
    out.append(reinterpret_cast<const char*>(value.data()), value.size());
  }));
  return *this;
}

Parameters& Parameters::byteas(std::span<const std::string> values) {
  std::size_t bytes = 0;
  for (const std::string& value : values) bytes += value.size();
  values_.push_back(
      array(kBytea, values, values.empty() ? 0 : bytes / values.size() + 1, [](std::string& out, const auto& value) {
        put(out, static_cast<std::uint32_t>(value.size()));
        out.append(value);
      }));
  return *this;
}

std::int64_t Rows::int4(std::size_t row, int column) const {
  return static_cast<std::int32_t>(take<std::uint32_t>(bytes(row, column)));
}

std::int64_t Rows::int8(std::size_t row, int column) const {
  return static_cast<std::int64_t>(take<std::uint64_t>(bytes(row, column)));
}

std::string_view Rows::bytes(std::size_t row, int column) const {
  const int at = static_cast<int>(row);
  return {PQgetvalue(result_.get(), at, column), static_cast<std::size_t>(PQgetlength(result_.get(), at, column))};
}

Bytes16 Rows::uuid(std::size_t row, int column) const {
  Bytes16 value{};
  const std::string_view from = bytes(row, column);
  std::memcpy(value.data(), from.data(), std::min(from.size(), value.size()));
  return value;
}

std::uint64_t Rows::affected() const {
  const std::string_view text = PQcmdTuples(result_.get());
  std::uint64_t rows = 0;
  std::from_chars(text.data(), text.data() + text.size(), rows);
  return rows;
}

}  // namespace hearsay::store::postgres
