// Turns records into integer vectors, in the same way on the device and in the aggregator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "common/arrangement/characters.h"
#include "common/arrangement/explicit.h"
#include "common/arrangement/literals.h"
#include "hearsay/mechanism.h"
#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay {

class Arrangement {
 public:
  // Errors: those of create() of the arrangement that `spec` names.
  static Result<Arrangement> create(const ArrangementSpec& spec, const Schema& schema);

  std::size_t dimension() const;
  // Returns the exact L1 sensitivity, max ‖a(x) - a(x')‖₁ over records x, x'. Errors: those of
  // Characters::sensitivity().
  Result<std::uint64_t> sensitivity() const;
  // Writes a(x), the coordinates of the record, to `out`, which has dimension() elements.
  void encode(const Record& record, std::span<std::int8_t> out) const;

  using Kind = std::variant<Literals, Characters, Explicit>;
  const Kind& kind() const { return kind_; }

 private:
  explicit Arrangement(Kind kind) : kind_(std::move(kind)) {}
  Kind kind_;
};

}  // namespace hearsay
