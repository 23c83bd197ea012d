// What is wrong with a CSV text, gathered for one message.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace hearsay::csv {

// "a, b, c and 3 more" of at most `most` items.
std::string first_of(const std::vector<std::string>& items, std::size_t most, std::size_t count);

// Holds the lines that have a problem, by kind. The first kinds are kept, and of each the first lines, so that neither
// the message nor the memory grows with the text.
class Problems {
 public:
  // `kind` is a number that the caller gives a meaning.
  void add(std::size_t line, std::size_t kind);
  bool empty() const { return kinds_.empty(); }

  // "line 2: …; lines 3, 5 and 7: …; and 4 more problems". `describe` says what the problem of a kind is.
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
