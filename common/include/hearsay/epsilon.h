// The privacy parameter ε, as an exact decimal number.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay {

// The parameter ε: how much one report may reveal about a record. Smaller means more private.
//
// A randomizer with this ε is ε-locally differentially private: for any two records x and x' and any report z,
// Pr[z|x] <= e^ε Pr[z|x']. ε is above 0, at most 64, and has at most 6 decimals.
class Epsilon {
 public:
  // Reads plain decimal text such as "1" or "0.25". Errors: kInvalidArgument (not such a text, or outside the range).
  static Result<Epsilon> parse(std::string_view text);

  // ε = num()/den() in lowest terms. den() divides 10^6.
  std::uint64_t num() const { return num_; }
  std::uint64_t den() const { return den_; }

  // Returns the shortest decimal text. parse(to_string()) gives the same value.
  std::string to_string() const;

  // Returns the nearest double. Use approximate() for statistics and display only.
  double approximate() const { return static_cast<double>(num_) / static_cast<double>(den_); }

  bool operator==(const Epsilon&) const = default;
  // Compares exactly. num() is at most 64·10^6 and den() at most 10^6, so the products fit 64 bits.
  std::strong_ordering operator<=>(const Epsilon& other) const { return num_ * other.den_ <=> other.num_ * den_; }

 private:
  Epsilon(std::uint64_t num, std::uint64_t den) : num_(num), den_(den) {}
  std::uint64_t num_;
  std::uint64_t den_;
};

}  // namespace hearsay
