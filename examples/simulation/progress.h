// Shows progress on standard error. On a terminal: a bar with the rate and the time left. Elsewhere: a line now and
// then.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace hearsay::examples {

class Progress {
 public:
  Progress(std::string what, std::size_t total);
  void show(std::size_t done);
  // The last line, whatever was shown before.
  void finish(std::size_t done);

 private:
  using Clock = std::chrono::steady_clock;
  void print(std::size_t done) const;

  std::string what_;
  std::size_t total_;
  bool terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace hearsay::examples
