// A uniform number, drawn digit by digit, against probabilities made of exponentials, to any precision. The cold path
// of the samplers: they come here where the first digit does not decide.
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "common/base/rational.h"

namespace hearsay {

// (1 + [add_q]·q - [minus_power]·q^exponent)/(1 + [over_one_plus_q]·q) with q = exp(-1/t).
struct ExponentialFraction {
  std::uint64_t exponent = 0;
  bool minus_power = false;
  bool add_q = false;
  bool over_one_plus_q = false;
};

// U in [0, 1) begins with these digits of `digit_bits` bits each, most significant first. `less`: U is below the
// fraction, whatever follows; `greater`: U is at least the fraction; `unordered`: these digits do not tell. Each
// further digit halves what is undecided as often as it has bits. In integers only; memory that held digits is
// cleansed. Throws std::bad_alloc. Cost: 75 to 440 µs for one or two digits of 32 bits.
std::partial_ordering compare_digits(std::span<const std::uint32_t> digits, unsigned digit_bits,
                                     const ExponentialFraction& fraction, const Rational& scale);

}  // namespace hearsay
