// A disk for SQLite that fails, or loses power, when a test says so.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace hearsay::tests {

// While this object lives, every database that this process opens is on this disk. The files stay where they are, but
// nothing is synced: the object remembers what a real disk would hold after a loss of power. Only one FailingDisk may
// exist at a time. Thread-safety: one thread.
class FailingDisk {
 public:
  FailingDisk();
  ~FailingDisk();
  FailingDisk(const FailingDisk&) = delete;
  FailingDisk& operator=(const FailingDisk&) = delete;

  // Says which operation fails: the n-th write, sync, truncation or deletion from now on, counted from 1.
  struct Failure {
    std::uint64_t at = 0;     // 0: no operation fails
    bool is_full = false;     // writes fail because the disk is full
    std::uint64_t times = 1;  // how many operations fail, one after the other
  };
  void fail(const Failure& failure);
  std::uint64_t operations() const;  // the number of operations since fail()

  // Undoes unsynced writes in closed files: all of them, or with `seed` above 0 a random part.
  void lose_power(unsigned seed);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace hearsay::tests
