// The channel `strategy`: a report is one of K outputs. The task lists their probabilities for every record of a small
// universe (the strategy matrix of McKenna, Maity, Mazumdar and Miklau 2020). With shifts the task lists fewer numbers:
// one row of probabilities stands for as many outputs as there are records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/arrangement/arrangement.h"
#include "common/channel/shift_group.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"
#include "hearsay/mechanism.h"

namespace hearsay {

// Pr[output k | record x] = entry(x, k)/2^32, exactly. For every output the largest entry is certain to be at most e^ε
// times the least, so a report is ε-private. Immutable and cheap to copy.
class StrategyChannel {
 public:
  static constexpr std::uint64_t kMaxRecords = 1024;
  static constexpr std::uint64_t kMaxShiftRecords = 8192;
  static constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 19U;

  // Errors: kInvalidArgument (the arrangement is not `characters` of the highest order; a wrong number of outputs or
  // entries; the entries of a record, or with shifts of all rows, do not add up to 2^32; an output has an entry of 0,
  // or a ratio of entries that exceeds e^ε or is too close to e^ε to be certain), kLimitExceeded (more than kMaxRecords
  // records, or with shifts more than kMaxShiftRecords; more than kMaxEntries entries).
  static Result<StrategyChannel> create(const StrategySpec& spec, const Arrangement& arrangement,
                                        const Epsilon& epsilon);
  // Returns a channel over the same universe with other entries, for audits of what another matrix would reveal. Checks
  // no ratio.
  // Errors: those of create(), except for ratios.
  Result<StrategyChannel> with_matrix(const StrategySpec& spec) const;

  std::size_t records() const { return state_->group.size(); }
  std::uint32_t outputs() const { return state_->outputs; }
  // Returns the number of values of each attribute.
  const std::vector<std::uint32_t>& values() const { return state_->group.values(); }
  bool shifts() const { return state_->shifts; }
  // Returns how many consecutive outputs share a row: with shifts records(), else 1. Outputs that share a row have the
  // same entries, in another order of the records.
  std::uint32_t outputs_per_row() const { return state_->shifts ? state_->group.size() : 1; }
  std::uint32_t rows() const { return state_->outputs / outputs_per_row(); }
  // Returns the entry of record number x and output k; the last attribute changes fastest. With shifts, entry(z,
  // r·records()) is entry z of row r.
  std::uint32_t entry(std::size_t x, std::uint32_t k) const;
  std::size_t number_of(const Record& record) const;
  bool is_over(const Arrangement& arrangement) const;

  // The sampler has two steps, so that the coin is drawn before the record is looked at. draw() throws EntropyError.
  // output() reads every entry, so neither the time nor the addresses depend on the record.
  //
  // Without shifts, the output is the least k for which entries 0 to k of the record add up to more than the coin. With
  // shifts, the coin alone chooses entry z of row r: the first entry, row after row, at which the running sum exceeds
  // the coin. The output of record x is then row r shifted by x - z.
  std::uint32_t draw(BitSource& bits) const { return static_cast<std::uint32_t>(bits.bits(32)); }
  std::uint32_t output(std::uint32_t coin, const Record& record) const;

  std::size_t payload_size() const { return state_->payload_size; }
  // Packs an output. `payload` must have payload_size() bytes.
  void pack(std::uint32_t output, std::span<std::uint8_t> payload) const;
  // Returns the output that the payload holds. Returns nothing if check() would return an error.
  std::optional<std::uint32_t> try_unpack(std::span<const std::uint8_t> payload) const;
  // Checks a payload. Errors: kReportWrongSize, kReportOutOfBounds.
  Result<void> check(std::span<const std::uint8_t> payload) const;

 private:
  struct State {
    ShiftGroup group;
    bool shifts;
    std::uint32_t outputs;
    std::size_t payload_size;
    std::vector<std::uint32_t> matrix;
  };
  explicit StrategyChannel(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  static Result<StrategyChannel> over(std::vector<std::uint32_t> values, const StrategySpec& spec);
  std::uint32_t listed_output(std::uint32_t coin, const Record& record) const;
  std::uint32_t shifted_output(std::uint32_t coin, const Record& record) const;
  std::shared_ptr<const State> state_;
};

}  // namespace hearsay
