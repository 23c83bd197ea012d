// Prepares the tally of a `sampled` task for queries, if reports ask questions other than parities of one bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "aggregator/compiler/question_law.h"
#include "aggregator/compiler/work.h"
#include "aggregator/tally/sampled_tally.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "hearsay/task.h"

namespace hearsay::estimator {

// Immutable. Thread-safety: any number of threads may share an index.
class QuestionIndex {
 public:
  // The question and the answer of a report about one of its attributes. A report of kind kSingle or kEven does not
  // answer about each attribute alone, but only about products. Then the parts have answers for which these products
  // are right. For kind kSingle, the first attribute has the whole answer, and all others have the answer 0. For kind
  // kEven, the first attribute has the answer 0, and the other answers are relative to the first.
  struct Part {
    std::uint32_t question;
    std::uint32_t answer;
  };

  // The reports of one class that ask about the same attributes.
  struct AskedSet {
    std::uint32_t group_class;
    std::uint64_t reports;
    std::size_t first_entry;
    std::size_t entries;
    std::size_t first_attribute;  // see attributes()
    std::size_t first_part;       // position of the first stored part
  };

  // The most memory for all parts, at 8 bytes for each attribute of an entry. If the parts would take more, the index
  // stores none, and every query decodes the entries that the query needs.
  static constexpr std::size_t kMostPartBytes = std::size_t{64} << 20U;

  // Requires the channel `sampled` on `characters`, with asks_parities() false. Memory: the tally's entries, and at
  // most `most_part_bytes`. Errors: kInvalidArgument (a tally of another task).
  static Result<QuestionIndex> create(const Task& task, const tally::SampledTally& tally,
                                      std::size_t most_part_bytes = kMostPartBytes);

  const Task& task() const { return task_; }
  const SampledChannel& channel() const { return std::get<SampledChannel>(task_.channel().kind()); }
  std::uint64_t reports() const { return reports_; }
  const SampledChannel::GroupClass& class_of(const AskedSet& set) const { return channel().classes()[set.group_class]; }

  std::span<const AskedSet> sets() const { return sets_; }
  std::span<const std::uint32_t> attributes(const AskedSet& set) const {
    return std::span(attributes_).subspan(set.first_attribute, class_of(set).size);
  }

  // Calls visit(count, parts) for each entry of the set, with the number of reports and one part for each attribute.
  template <class Visit>
  void for_each(const AskedSet& set, const Visit& visit) const {
    const std::size_t size = class_of(set).size;
    std::vector<Part> decoded(has_parts_ ? 0 : size);
    for (std::size_t e = 0; e < set.entries; ++e) {
      const tally::SampledTally::Entry& entry = entries_[set.first_entry + e];
      if (!has_parts_) decode(set, entry, decoded);
      visit(static_cast<double>(entry.count),
            has_parts_ ? std::span(parts_).subspan(set.first_part + e * size, size) : std::span<const Part>(decoded));
    }
  }

  // Returns the law of the questions about an attribute. The first call computes the law. Throws compiler::WorkStopped.
  const compiler::QuestionLaw& law(std::uint32_t attribute, compiler::Work& work) const;

 private:
  struct LazyLaw {
    std::once_flag made;
    std::unique_ptr<compiler::QuestionLaw> law;
  };
  explicit QuestionIndex(Task task) : task_(std::move(task)) {}
  void find_sets();
  void store_parts(std::size_t most_bytes);
  void decode(const AskedSet& set, const tally::SampledTally::Entry& entry, std::span<Part> parts) const;

  Task task_;
  std::uint64_t reports_ = 0;
  std::vector<tally::SampledTally::Entry> entries_;
  std::vector<AskedSet> sets_;
  std::vector<std::uint32_t> attributes_;
  bool has_parts_ = false;
  std::vector<Part> parts_;
  std::unique_ptr<LazyLaw[]> laws_;  // per attribute
};

}  // namespace hearsay::estimator
