// The arrangement `explicit`: the integer vectors that a task lists, one for each record and one for each query of a
// class.
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

// a: X -> {-127, …, 127}^d, a(x) = u_x, the vector of record x. Records are numbered so that the last attribute changes
// fastest. Immutable; copies share the vectors.
class Explicit {
 public:
  // The largest number of entries in the vectors of all records together, and in the vectors of all queries together.
  static constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 20U;
  // A task document may come from anybody, so reading the document must not take long. If the dimension d is above
  // kMaxSigned, M²·d may be at most kMaxPairEntries for M records. This limit bounds the cost of l1_diameter().
  static constexpr std::size_t kMaxSigned = 17;
  static constexpr std::uint64_t kMaxPairEntries = std::uint64_t{1} << 34U;
  static constexpr std::size_t kMaxQueryBytes = std::size_t{1} << 16U;

  // Errors: kInvalidArgument (dimension 0; a number of entries that is not the number of records times d; an entry of
  // -128; the same vector for all records; no query; a query's vector of another size, or of zeros; a query's text that
  // is empty, too long or not UTF-8; texts that do not ascend), kLimitExceeded (kMaxEntries or kMaxPairEntries).
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
  // Returns u_x of record number x. Use this only for made-up records, since the memory address depends on x.
  std::span<const std::int8_t> vector_of(std::size_t x) const {
    return std::span(state_->spec.records).subspan(x * dimension(), dimension());
  }

 private:
  struct State {
    ExplicitSpec spec;
    std::vector<std::uint32_t> values;  // the number of values of each attribute
    std::size_t records;
    std::uint64_t sensitivity;
    int largest_entry;
    std::uint64_t largest_square;
  };
  explicit Explicit(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// Returns the largest L1 distance between two of the vectors, exactly. Each vector has `dimension` entries; M is the
// number of different vectors. In few dimensions, tries every vector s of signs: the result is the largest width, max
// over s of max ⟨s,u⟩ - min ⟨s,u⟩ over the vectors u. Otherwise compares pairs, first the vectors far from the middle,
// until no other pair can be farther apart. Cost: at most about the smaller of 2^(d-1)·M and M²·d/2 additions.
std::uint64_t l1_diameter(std::span<const std::int8_t> vectors, std::size_t dimension);

}  // namespace hearsay
