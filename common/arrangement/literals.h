// The arrangement `literals`: one ±1 coordinate for each literal of each attribute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay {

// The consecutive coordinates that belong to one attribute.
struct AttributeBlock {
  std::size_t offset;
  std::size_t size;
  // The largest L1 distance between the embeddings of two values of this attribute.
  std::uint64_t sensitivity;
};

// a: X -> {-1,+1}^d. A boolean gives one coordinate (+1 for yes). A categorical attribute with J values gives J
// indicators. A range of J values gives J-1 thermometer coordinates; coordinate t (from 0) is +1 iff the value's index
// is at least t+1. The L1 sensitivity is 2 for a boolean, 4 for a categorical attribute and 2(J-1) for a range.
class Literals {
 public:
  static constexpr std::size_t kMaxDimension = 65'536;

  // Errors: kLimitExceeded if d would exceed kMaxDimension.
  static Result<Literals> create(const Schema& schema);

  std::size_t dimension() const { return dimension_; }
  // Returns one block for each attribute, in the schema's order.
  std::span<const AttributeBlock> blocks() const { return blocks_; }
  // Returns the exact L1 sensitivity Δ = max ‖a(x) - a(x')‖₁, the sum of the blocks' sensitivities.
  std::uint64_t sensitivity() const { return sensitivity_; }

  // Writes a(x). `out` has dimension() elements.
  void encode(const Record& record, std::span<std::int8_t> out) const;
  // Writes the coordinates of one attribute's block for the value index `value`. `block` has the block's size.
  void encode_attribute(std::size_t attribute, std::uint32_t value, std::span<std::int8_t> block) const;
  // Returns 1 if coordinate j of a(x) is -1, and 0 if it is +1. The time does not depend on the record.
  std::uint32_t is_negative(std::size_t coordinate, const Record& record) const;

 private:
  Literals() = default;
  std::vector<AttributeBlock> blocks_;
  std::vector<AttributeKind> kinds_;
  std::size_t dimension_ = 0;
  std::uint64_t sensitivity_ = 0;
};

}  // namespace hearsay
