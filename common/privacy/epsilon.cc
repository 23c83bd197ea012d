#include "hearsay/epsilon.h"

#include "common/base/rational.h"
#include "common/base/try.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kMaxEpsilon = 64;
constexpr std::uint64_t kMillion = 1'000'000;

}  // namespace

Result<Epsilon> Epsilon::parse(std::string_view text) {
  HEARSAY_TRY(const Rational value, Rational::parse_decimal(text));
  // Since value = num/den and den divides 10^6, the product below stays far inside 64 bits.
  if (value.num() == 0 || value.num() / value.den() > kMaxEpsilon || value.num() > kMaxEpsilon * value.den()) {
    return Error{ErrorCode::kInvalidArgument, "epsilon must lie above 0 and be at most 64"};
  }
  return Epsilon(value.num(), value.den());
}

std::string Epsilon::to_string() const {
  std::string text = std::to_string(num_ / den_);
  const std::uint64_t millionths = num_ % den_ * (kMillion / den_);
  if (millionths == 0) return text;
  std::string fraction = std::to_string(kMillion + millionths).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return text + '.' + fraction;
}

}  // namespace hearsay
