// Taking a batch of reports: which are new, and the one commit that holds them and their effect on the tallies.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "aggregator/store/rocks/rocks_store.h"

namespace hearsay::store::rocks {

// All under the store's write_mutex_. Its memory stays for the next batch.
class RocksStore::Append {
 public:
  explicit Append(RocksStore& store) : store_(store) {}

  // Decides each submission and commits the accepted. On an error nothing is remembered of the batch.
  Result<void> run(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes);

 private:
  // What the batch adds to a window of a task.
  struct Delta {
    TaskState* task = nullptr;
    UnixSeconds window = 0;
    bool sealed = false;
    std::uint64_t room = 0;          // reports that the window still takes
    std::uint64_t reports = 0;       // accepted
    std::uint64_t in_body = 0;       // those of them not yet in a block
    std::uint64_t blocks = 0;        // made of the others
    std::vector<std::span<const std::uint8_t>> payloads;  // of the accepted reports, for the tally
    std::vector<std::uint8_t> body;                       // the next block
  };
  void resolve();
  Result<void> prepare(std::span<AppendOutcome> outcomes);
  void prefetch(std::size_t begin, std::size_t end) const;
  Result<void> look_up_on_disk();
  Result<AppendOutcome> decide(std::size_t i);
  // Whether the report, whose encoding ends in `content`, has been there, and if so, which outcome that gives.
  std::optional<AppendOutcome> known(std::size_t i, std::span<const std::uint8_t> content, std::uint64_t digest) const;
  Result<void> remember(std::size_t i, std::span<const std::uint8_t> content, std::uint64_t digest);
  Result<Delta*> delta_of(TaskState& task, UnixSeconds time);
  Result<void> put_block(Delta& delta);
  Result<void> commit();
  void forget();
  void release();

  RocksStore& store_;
  std::span<const Submission> submissions_;
  std::vector<TaskState*> tasks_;                  // by submission; null: not in the store
  std::vector<ReportId> ids_;                      // by submission
  std::vector<HiddenId> hidden_;                   // by submission
  bool on_disk_ = false;                           // this batch's ids go to the disk
  std::vector<std::optional<DiskDigest>> stored_;  // by submission, if on_disk_: what the disk says
  std::vector<std::size_t> accepted_;
  std::vector<Delta> deltas_;  // the first used_ are this batch's
  std::size_t used_ = 0;
  std::map<std::pair<const TaskState*, UnixSeconds>, std::size_t> delta_numbers_;
  std::size_t last_delta_ = 0;  // the one that the previous report needed
  rocksdb::WriteBatch batch_;
  Totals change_;
};

}  // namespace hearsay::store::rocks
