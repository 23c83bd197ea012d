// What a batch of reports asks of one database.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "aggregator/store/store.h"

namespace hearsay::store::spread {

// Copies of the submissions that go to one database, since a late database looks at them after append() has returned;
// and what became of them.
class Share {
 public:
  // Copies those of `all` with these numbers.
  Share(std::span<const Submission> all, std::vector<std::size_t> numbers);
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  const std::vector<std::size_t>& numbers() const { return numbers_; }
  const std::vector<Submission>& submissions() const { return submissions_; }

  // For each submission; kUnavailable until the database has said otherwise. Written by the database's thread, before
  // it sets `done`.
  std::vector<AppendOutcome> outcomes;
  bool done = false;  // guarded by the lane

 private:
  std::span<const std::uint8_t> copy(std::span<const std::uint8_t> bytes);

  const std::vector<std::size_t> numbers_;
  std::map<const Task*, Task> tasks_;
  std::vector<std::uint8_t> bytes_;
  std::vector<Submission> submissions_;  // point into tasks_ and bytes_
};

}  // namespace hearsay::store::spread
