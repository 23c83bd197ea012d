// The part of a batch of reports that goes to one database.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "aggregator/store/store.h"

namespace hearsay::store::spread {

// Copies of the submissions that go to one database, and their outcomes. Copies are needed because a late database may
// read the submissions after append() has returned.
class Share {
 public:
  // Copies those submissions of `all` whose indexes are in `numbers`.
  Share(std::span<const Submission> all, std::vector<std::size_t> numbers);
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  const std::vector<std::size_t>& numbers() const { return numbers_; }
  const std::vector<Submission>& submissions() const { return submissions_; }

  // One outcome for each submission; kUnavailable until the database has answered. The database's thread writes the
  // outcomes before it sets `done`.
  std::vector<AppendOutcome> outcomes;
  bool done = false;  // guarded by the lane's mutex

 private:
  std::span<const std::uint8_t> copy(std::span<const std::uint8_t> bytes);

  const std::vector<std::size_t> numbers_;
  std::map<const Task*, Task> tasks_;
  std::vector<std::uint8_t> bytes_;
  std::vector<Submission> submissions_;  // views into tasks_ and bytes_
};

}  // namespace hearsay::store::spread
