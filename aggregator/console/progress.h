// Tells a person who waits what a program is doing.
#pragma once

#include <memory>
#include <string>

namespace hearsay::console {

// While one exists: after a second, the text and the seconds so far, on one line of standard error that goes away at
// the end. Nothing where standard error is no terminal. Thread-safe.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void set(std::string what);

 private:
  struct State;
  std::unique_ptr<State> state_;  // null: nobody looks
};

}  // namespace hearsay::console
