#include "examples/randomizer/subset_channel.h"

#include <bit>

#include "common/privacy/randomized_response.h"
#include "common/privacy/samplers.h"

namespace hearsay::examples {
namespace {

std::uint64_t choose(std::uint32_t n, std::uint32_t k) {
  std::uint64_t product = 1;
  for (std::uint32_t i = 0; i < k; ++i) product = product * (n - i) / (i + 1);
  return product;
}

// Returns set number `rank` of the sets of k out of n values. Decides for each value whether it belongs to the set.
SubsetChannel::Subset unrank(std::uint64_t rank, std::uint32_t n, std::uint32_t k) {
  SubsetChannel::Subset subset = 0;
  for (std::uint32_t value = 0; value < n && k > 0; ++value) {
    const std::uint64_t with = choose(n - value - 1, k - 1);
    if (rank < with) {
      subset |= SubsetChannel::Subset{1} << value;
      --k;
    } else {
      rank -= with;
    }
  }
  return subset;
}

}  // namespace

Result<SubsetChannel> SubsetChannel::create(std::uint32_t values, std::uint32_t size, const Epsilon& epsilon) {
  if (values < 2 || values > kMaxValues || size < 1 || size >= values || values % size != 0) {
    return Error{ErrorCode::kInvalidArgument, "2 to 32 values, and sets of a size below that which divides it"};
  }
  // Because C(K, w)/C(K-1, w-1) = K/w, the ratio of the two weights is 1 + γ/(1-γ)·K/w. This is at most e^ε if and only
  // if γ <= (e^ε-1)/(e^ε+K/w-1), the bound of randomized response among K/w values. γ is rounded down, towards privacy.
  return SubsetChannel(values, size, truth_in_2_to_64(epsilon, values / size) >> 32U);
}

SubsetChannel::Draw SubsetChannel::draw(BitSource& bits) const {
  const bool truth = bits.bits(32) < gamma_;
  const std::uint64_t others = uniform_below(bits, choose(values_ - 1, size_ - 1));
  const std::uint64_t any = uniform_below(bits, choose(values_, size_));
  return {truth, (unrank(others, values_ - 1, size_ - 1) << 1U) | 1U, unrank(any, values_, size_)};
}

SubsetChannel::Subset SubsetChannel::subset(const Draw& draw, std::uint32_t value) const {
  // Turned by `value`, a uniform set that holds 0 becomes a uniform set that holds `value`.
  const std::uint64_t turned = std::uint64_t{draw.around_zero} << value;
  const std::uint64_t all = (std::uint64_t{1} << values_) - 1;
  const auto around_value = static_cast<Subset>((turned | (turned >> values_)) & all);
  const Subset mask = Subset{0} - static_cast<Subset>(draw.truth);
  return (around_value & mask) | (draw.any & ~mask);
}

bool SubsetChannel::is_report(Subset subset) const {
  return static_cast<std::uint32_t>(std::popcount(subset)) == size_ &&
         (std::uint64_t{subset} >> values_) == 0;
}

std::vector<double> SubsetChannel::estimate(std::span<const std::uint64_t> counts, std::uint64_t reports) const {
  const double k = values_;
  const double w = size_;
  const double gamma = static_cast<double>(gamma_) / 0x1p32;
  const double of_others = gamma * (w - 1) / (k - 1) + (1 - gamma) * w / k;  // Pr[set holds v | value is not v]
  const double of_owners = gamma + (1 - gamma) * w / k;                      // Pr[set holds v | value is v]
  std::vector<double> fractions;
  for (const std::uint64_t count : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(reports);
    fractions.push_back((share - of_others) / (of_owners - of_others));
  }
  return fractions;
}

}  // namespace hearsay::examples
