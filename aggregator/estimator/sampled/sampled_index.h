// Prepares the tally of the channel `sampled` for queries on some attributes or coordinates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/tally/sampled_tally.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "hearsay/task.h"

namespace hearsay::estimator {

class SampledIndex {
 public:
  using Entry = tally::SampledTally::Entry;

  // One attribute of an entry of the tally, for a group with several generators. `bit` is the place of the attribute's
  // bit in factor_bits(). Every coordinate that the group covers is the parity of the bits of its attributes. A group
  // of kind kEven covers only coordinates with an even number of attributes. For such a group, bit 0 of factor_bits()
  // is 0, and bit i+1 is bit i of the answer.
  struct Part {
    std::uint32_t entry;  // the argument of wide_class() and wide_count()
    std::uint32_t mask;
    std::uint32_t bit;
  };

  // The most memory for all parts, at 12 bytes each and 16 bytes for each entry that has parts. If the parts would take
  // more, the index stores no parts, and each query reads all entries of groups with several generators.
  static constexpr std::size_t kMostPartBytes = std::size_t{64} << 20U;

  // Memory: the tally's entries, and at most `most_part_bytes`. Errors: kInvalidArgument (a tally of another task).
  static Result<SampledIndex> create(const Task& task, const tally::SampledTally& tally,
                                     std::size_t most_part_bytes = kMostPartBytes);

  const Task& task() const { return task_; }
  const SampledChannel& channel() const { return std::get<SampledChannel>(task_.channel().kind()); }
  std::uint64_t reports() const { return reports_; }

  // Returns the entries whose group is in [first, first + count), ascending.
  std::span<const Entry> entries(std::uint64_t first, std::uint64_t count) const;

  // Returns true if parts() is complete. Returns false if the parts would take too much memory.
  bool has_parts() const { return !too_many_parts_; }
  // Returns the bits to which Part::bit refers.
  static std::uint32_t factor_bits(const SampledChannel::GroupClass& group_class, std::uint32_t answer) {
    return answer << (group_class.kind == GroupKind::kEven ? 1U : 0U);
  }
  // Returns the parts of an attribute, by ascending entry: one for each entry of kind kRaw or kEven that has the
  // attribute. Only for tasks on `characters`.
  std::span<const Part> parts(std::uint32_t attribute) const {
    return parts_.empty() ? std::span<const Part>() : parts_[attribute];
  }
  std::uint32_t wide_class(std::uint32_t entry) const { return wide_[entry].group_class; }
  std::uint64_t wide_count(std::uint32_t entry) const { return wide_[entry].count; }

 private:
  struct Wide {
    std::uint32_t group_class;
    std::uint64_t count;
  };
  explicit SampledIndex(Task task) : task_(std::move(task)) {}
  void index_wide_groups(std::size_t most_part_bytes);

  Task task_;
  std::uint64_t reports_ = 0;
  std::vector<Entry> entries_;
  // The members below are unused if no group has several generators.
  bool too_many_parts_ = false;
  std::vector<Wide> wide_;
  std::vector<std::vector<Part>> parts_;  // per attribute
};

}  // namespace hearsay::estimator
