// The arrangement `explicit`: the integer vectors that a task lists, one for each record and each query of a class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hearsay/mechanism.h"
#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay {

// a: X -> {-127, …, 127}^d, a(x) = u_x. Records are numbered so that the last attribute changes fastest. Immutable;
// copies share the vectors.
class Explicit {
 public:
  // Of the records' vectors, and of the queries' vectors.
  static constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 20U;
  // A document may come from anybody, so reading one must not take long: above kMaxSigned dimensions M²·d is at most
  // kMaxPairEntries. This bounds the cost of l1_diameter().
  static constexpr std::size_t kMaxSigned = 17;
  static constexpr std::uint64_t kMaxPairEntries = std::uint64_t{1} << 34U;
  static constexpr std::size_t kMaxQueryBytes = std::size_t{1} << 16U;

  // Errors: kInvalidArgument (dimension 0; a number of entries that is not records times d; an entry of -128; records
  // that all have one vector; no query; a query's vector of another size, or of zeros; a text that is empty, too long
  // or not UTF-8; texts that do not ascend), kLimitExceeded (more than kMaxEntries, or kMaxPairEntries).
  // Cost: that of l1_diameter().
  static Result<Explicit> create(const ExplicitSpec& spec, const Schema& schema);

  std::size_t dimension() const { return state_->spec.dimension; }
  // Returns M, the number of records in the universe.
  std::size_t records() const { return state_->records; }
  std::span<const ExplicitQuery> queries() const { return state_->spec.queries; }
  // Returns the exact L1 sensitivity Δ = max ‖u_x - u_x'‖₁.
  std::uint64_t sensitivity() const { return state_->sensitivity; }
  // Return the largest |u_x,j|, and the largest ‖u_x‖₂².
  int largest_entry() const { return state_->largest_entry; }
  std::uint64_t largest_square() const { return state_->largest_square; }

  // Writes a(x). `out` has dimension() elements. Reads the vectors of all records and keeps one by a mask, so no branch
  // and no address depends on the record. Cost: M·d.
  void encode(const Record& record, std::span<std::int8_t> out) const;
  // Returns u_x of record number x. Use this only for records that are nobody's, since the address tells x.
  std::span<const std::int8_t> vector_of(std::size_t x) const {
    return std::span(state_->spec.records).subspan(x * dimension(), dimension());
  }

 private:
  struct State {
    ExplicitSpec spec;
    std::vector<std::uint32_t> values;  // of each attribute
    std::size_t records;
    std::uint64_t sensitivity;
    int largest_entry;
    std::uint64_t largest_square;
  };
  explicit Explicit(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// Returns the largest L1 distance between two of the vectors, exactly. Each vector has `dimension` entries; equal
// vectors count once. In few dimensions this is the largest width in a direction of signs, max over s of max ⟨s,u⟩ -
// min ⟨s,u⟩. Otherwise pairs are compared, those far from the middle first, until no pair can be farther apart. Cost:
// at most about the smaller of 2^(d-1)·M and M²·d/2. Within the limits of Explicit at most about a second.
std::uint64_t l1_diameter(std::span<const std::int8_t> vectors, std::size_t dimension);

}  // namespace hearsay
