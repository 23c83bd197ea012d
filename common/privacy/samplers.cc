#include "common/privacy/samplers.h"

#include "common/privacy/coin.h"
#include "common/privacy/exact_samplers.h"

namespace hearsay {

std::uint64_t uniform_below(BitSource& source, std::uint64_t n) { return BitCoin(source).uniform_below(n); }

bool bernoulli(BitSource& source, std::uint64_t num, std::uint64_t den) { return BitCoin(source).bernoulli(num, den); }

bool bernoulli_exp_minus(BitSource& source, std::uint64_t num, std::uint64_t den) {
  BitCoin coin(source);
  return exp_minus(coin, num, den);
}

}  // namespace hearsay
