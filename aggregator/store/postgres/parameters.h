// The parameters and results of statements, in PostgreSQL's binary formats.
#pragma once

#include <libpq-fe.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay::store::postgres {

// 16 bytes; PostgreSQL's type is uuid.
using Bytes16 = std::array<std::uint8_t, 16>;

// The values of $1, $2, … in order.
class Parameters {
 public:
  Parameters& int4(std::int32_t value);
  Parameters& int8(std::int64_t value);
  Parameters& bytes(std::string_view value);  // for bytea and text
  Parameters& int4s(std::span<const std::int32_t> values);
  Parameters& int8s(std::span<const std::int64_t> values);
  Parameters& uuids(std::span<const Bytes16> values);
  Parameters& byteas(std::span<const std::string> values);

  const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_;
};

// The rows that a statement returned.
class Rows {
 public:
  explicit Rows(PGresult* result) : result_(result) {}

  std::size_t size() const { return static_cast<std::size_t>(PQntuples(result_.get())); }
  bool empty() const { return size() == 0; }
  bool is_null(std::size_t row, int column) const {
    return PQgetisnull(result_.get(), static_cast<int>(row), column) != 0;
  }
  // The value must have the type that the function's name says, and must not be null.
  bool boolean(std::size_t row, int column) const { return bytes(row, column) == std::string_view("\1", 1); }
  std::int64_t int4(std::size_t row, int column) const;
  std::int64_t int8(std::size_t row, int column) const;
  std::string_view bytes(std::size_t row, int column) const;  // for bytea, text and uuid
  Bytes16 uuid(std::size_t row, int column) const;
  const PGresult* get() const { return result_.get(); }
  // Returns how many rows the statement inserted, updated or deleted.
  std::uint64_t affected() const;

 private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

}  // namespace hearsay::store::postgres
