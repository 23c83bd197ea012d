// e^-x to p bits as in exponential.cc, over integers of any size: e^-x = (e^-y)^(2^h) with y = x/2^h <= 1/2, e^-y by
// Taylor's alternating series in Horner's form, every step rounded down for the lower bound and up for the upper one.

#include "common/privacy/lazy_comparison.h"

#include <openssl/bn.h>

#include <bit>
#include <memory>
#include <new>

namespace hearsay {
namespace {

void require(bool done) {
  if (!done) throw std::bad_alloc();  // nothing else can fail below
}

struct FreeContext {
  void operator()(BN_CTX* context) const { BN_CTX_free(context); }
};
using Context = std::unique_ptr<BN_CTX, FreeContext>;

// Scratch memory of a thread's multiplications; OpenSSL cleanses it when the thread ends.
BN_CTX* context() {
  thread_local const Context own(BN_CTX_secure_new());
  require(own != nullptr);
  return own.get();
}

// A natural number.
class Natural {
 public:
  explicit Natural(std::uint64_t value = 0) : number_(BN_new()) {
    static_assert(sizeof(BN_ULONG) == sizeof(value));
    require(number_ != nullptr && BN_set_word(number_.get(), value) == 1);
  }
  static Natural power_of_two(unsigned exponent) { return Natural(1) << exponent; }

  Natural operator+(const Natural& other) const {
    Natural result;
    require(BN_add(result.get(), get(), other.get()) == 1);
    return result;
  }
  Natural operator-(const Natural& other) const {  // other <= *this
    Natural result;
    require(BN_sub(result.get(), get(), other.get()) == 1);
    return result;
  }
  Natural operator*(const Natural& other) const {
    Natural result;
    require(BN_mul(result.get(), get(), other.get(), context()) == 1);
    return result;
  }
  Natural operator/(const Natural& other) const {  // rounded down
    Natural result;
    require(BN_div(result.get(), nullptr, get(), other.get(), context()) == 1);
    return result;
  }
  Natural operator/(unsigned divisor) const {  // rounded down
    Natural result;
    require(BN_copy(result.get(), get()) != nullptr);
    require(BN_div_word(result.get(), divisor) != static_cast<BN_ULONG>(-1));  // no remainder is as large
    return result;
  }
  Natural operator<<(unsigned bits) const {
    Natural result;
    require(BN_lshift(result.get(), get(), static_cast<int>(bits)) == 1);
    return result;
  }
  Natural operator>>(unsigned bits) const {
    Natural result;
    require(BN_rshift(result.get(), get(), static_cast<int>(bits)) == 1);
    return result;
  }
  bool operator<=(const Natural& other) const { return BN_cmp(get(), other.get()) <= 0; }

 private:
  struct Free {
    void operator()(BIGNUM* number) const { BN_clear_free(number); }
  };
  const BIGNUM* get() const { return number_.get(); }
  BIGNUM* get() { return number_.get(); }
  std::unique_ptr<BIGNUM, Free> number_;
};

// lower/2^bits <= value <= upper/2^bits
struct Bounds {
  Natural lower;
  Natural upper;
};

// Terms of the series at y <= 1/2 until the next is below 2^-bits.
unsigned terms(unsigned bits) {
  unsigned k = 0;
  for (unsigned reached = 0; reached < bits; ++k) reached += static_cast<unsigned>(std::bit_width(k + 1));
  return k;
}

// exp(-num/den). Each squaring doubles the error, which the further bits outweigh.
Bounds exp_minus(const Natural& num, const Natural& den, unsigned bits) {
  unsigned halvings = 0;
  while (!(num << 1U <= den << halvings)) ++halvings;
  const unsigned p = bits + halvings + 16;
  const Natural one = Natural::power_of_two(p);
  const Natural y_low = (num << p) / (den << halvings);
  const Natural y_high = y_low + Natural(1);
  Bounds bounds{Natural(0), Natural::power_of_two(p)};
  for (unsigned k = terms(p); k > 0; --k) {
    Natural lower = one - (((y_high * bounds.upper >> p) + Natural(1)) / k + Natural(1));
    bounds.upper = one - (y_low * bounds.lower >> p) / k;
    bounds.lower = std::move(lower);
  }
  for (unsigned i = 0; i < halvings; ++i) {
    bounds.lower = bounds.lower * bounds.lower >> p;
    bounds.upper = (bounds.upper * bounds.upper >> p) + Natural(1);
  }
  return {bounds.lower >> (p - bits), (bounds.upper >> (p - bits)) + Natural(1)};
}

}  // namespace

// With the digits' integer P of b bits, P/2^b <= U < (P+1)/2^b. Numerator and denominator are enclosed to b + 32 bits.
std::partial_ordering compare_digits(std::span<const std::uint32_t> digits, unsigned digit_bits,
                                     const ExponentialFraction& fraction, const Rational& scale) {
  Natural prefix;
  for (const std::uint32_t digit : digits) prefix = (prefix << digit_bits) + Natural(digit);
  const auto prefix_bits = static_cast<unsigned>(digits.size()) * digit_bits;
  const unsigned bits = prefix_bits + 32;

  Bounds numerator{Natural::power_of_two(bits), Natural::power_of_two(bits)};
  Bounds denominator{Natural::power_of_two(bits), Natural::power_of_two(bits)};
  if (fraction.add_q || fraction.over_one_plus_q) {
    const Bounds q = exp_minus(Natural(scale.den()), Natural(scale.num()), bits);
    if (fraction.add_q) numerator = {numerator.lower + q.lower, numerator.upper + q.upper};
    if (fraction.over_one_plus_q) denominator = {denominator.lower + q.lower, denominator.upper + q.upper};
  }
  if (fraction.minus_power) {
    const Bounds power = exp_minus(Natural(fraction.exponent) * Natural(scale.den()), Natural(scale.num()), bits);
    // The power is at most 1, but its upper bound may be a little more.
    const bool vanishes = numerator.lower <= power.upper;
    numerator = {vanishes ? Natural(0) : numerator.lower - power.upper, numerator.upper - power.lower};
  }
  if ((prefix + Natural(1)) * denominator.upper <= numerator.lower << prefix_bits) return std::partial_ordering::less;
  if (numerator.upper << prefix_bits <= prefix * denominator.lower) return std::partial_ordering::greater;
  return std::partial_ordering::unordered;
}

}  // namespace hearsay
