// Shows progress on standard error: on a terminal a bar with the rate and the time left, elsewhere a line every few
// seconds. The rate is that of the last seconds, because the first reports of a run are slow.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace hearsay::examples {

// Computes how fast work goes on, and when it will end.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Pace(Clock::time_point start) : start_(start), before_{start, 0}, latest_{start, 0} {}

  // Notes that `done` of `total` is done at the time `now`. Returns a text with the rate of the last seconds and the
  // time left. Returns an empty text in the first seconds, and while the work stands still.
  std::string note(Clock::time_point now, std::size_t done, std::size_t total);

  // Returns a text with the time and the rate of the whole run.
  std::string whole(Clock::time_point now, std::size_t done) const;

 private:
  struct Mark {
    Clock::time_point at;
    std::size_t done;
  };

  Clock::time_point start_;
  Mark before_;  // some seconds before latest_, unless the run has just begun
  Mark latest_;
};

class Progress {
 public:
  Progress(std::string what, std::size_t total);
  void show(std::size_t done);
  // Prints the last line: the time and the rate of the whole run.
  void finish(std::size_t done);

 private:
  void print(std::size_t done, const std::string& pace) const;

  std::string what_;
  std::size_t total_;
  bool terminal_;
  Pace pace_{Pace::Clock::now()};
  Pace::Clock::time_point last_ = Pace::Clock::now();
};

}  // namespace hearsay::examples
