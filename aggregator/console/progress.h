// Tells a waiting person what a program is doing.
#pragma once

#include <memory>
#include <string>

namespace hearsay::console {

// While an object of this class exists, standard error shows one line with the text `what` and the seconds so far. The
// line appears after a second and goes away at the end. Nothing is shown if standard error is no terminal. Thread-safe.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void set(std::string what);

 private:
  struct State;
  std::unique_ptr<State> state_;  // null if standard error is no terminal
};

}  // namespace hearsay::console
