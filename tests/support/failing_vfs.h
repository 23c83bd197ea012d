// A disk for SQLite that fails, or loses power, when a test says so.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace hearsay::tests {

// While this object lives, every database that this process opens is on this disk. The files stay where they are, but
// nothing is synced. The object remembers what a real disk would hold after a loss of power. Only one FailingDisk may
// exist at a time. Thread-safety: one thread.
class FailingDisk {
 public:
  FailingDisk();
  ~FailingDisk();
  FailingDisk(const FailingDisk&) = delete;
  FailingDisk& operator=(const FailingDisk&) = delete;

  // Says which operations fail. An operation is a write, sync, truncation or deletion. `at` counts the operations
  // after fail(), from 1.
  struct Failure {
    std::uint64_t at = 0;     // 0: no operation fails
    bool is_full = false;     // writes fail because the disk is full
    std::uint64_t times = 1;  // the number of successive operations that fail
  };
  void fail(const Failure& failure);
  std::uint64_t operations() const;

  // Undoes the unsynced changes of all files: every change if `seed` is 0, and otherwise a random part. The files must
  // be closed.
  void lose_power(unsigned seed);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace hearsay::tests
