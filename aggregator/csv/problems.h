// Gathers the problems of a CSV text for one message.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace hearsay::csv {

// Returns at most `most` items, such as "a, b, c and 3 more". `count`: how many items there are in all.
std::string first_of(const std::vector<std::string>& items, std::size_t most, std::size_t count);

// Holds the lines that have a problem, by kind of problem. Only the first kinds, and the first lines of each kind, are
// kept. So neither the message nor the memory grows with the text.
class Problems {
 public:
  // Adds a line. The caller chooses what the number `kind` means.
  void add(std::size_t line, std::size_t kind);
  bool empty() const { return kinds_.empty(); }

  // Returns, for example, "line 2: …; lines 3, 5 and 7: …; and 4 more problems". `describe` returns what is wrong for a
  // kind.
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
