// The privacy parameter: an exact rational given as decimal text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay {

// Pure ε-local differential privacy under replacement of one record: Pr[z|x] <= e^ε Pr[z|x'] for all x, x', z.
// 0 < ε <= 64, at most 6 decimals.
class Epsilon {
 public:
  // Plain decimal text ("1", "0.25"). Errors: kInvalidArgument.
  static Result<Epsilon> parse(std::string_view text);

  // ε = num()/den() in lowest terms; den() divides 10^6.
  std::uint64_t num() const { return num_; }
  std::uint64_t den() const { return den_; }
  // Shortest decimal text; parse(to_string()) gives the same value.
  std::string to_string() const;
  // Nearest double; for statistics and display only.
  double approximate() const { return static_cast<double>(num_) / static_cast<double>(den_); }

  bool operator==(const Epsilon&) const = default;

 private:
  Epsilon(std::uint64_t num, std::uint64_t den) : num_(num), den_(den) {}
  std::uint64_t num_;
  std::uint64_t den_;
};

}  // namespace hearsay
