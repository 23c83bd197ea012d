// Gathers the problems of a CSV text for one message.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace hearsay::csv {

// Returns a list of the first `most` items, such as "a, b, c and 3 more". `count` is the number of all items; `items`
// may hold fewer.
std::string first_of(const std::vector<std::string>& items, std::size_t most, std::size_t count);

// The lines that have a problem, by kind of problem. Keeps only the first kinds, and the first lines of each kind. So
// the message and the memory stay small, however long the text is.
class Problems {
 public:
  // Adds a line. The caller chooses what the number `kind` means.
  void add(std::size_t line, std::size_t kind);
  bool empty() const { return kinds_.empty(); }

  // Returns, for example, "line 2: …; lines 3, 5 and 7: …; and 4 more problems". `describe` returns the text for a kind
  // of problem.
  std::string text(const std::function<std::string(std::size_t kind)>& describe) const;

 private:
  struct Kind {
    std::size_t kind;
    std::vector<std::string> lines;
    std::size_t count = 0;
  };
  std::vector<Kind> kinds_;
  std::size_t others_ = 0;
};

}  // namespace hearsay::csv
