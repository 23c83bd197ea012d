#include "aggregator/central/synthetic/multisets.h"

#include <algorithm>
#include <cmath>

namespace hearsay::central {

Result<Multisets> Multisets::create(std::size_t domain, std::uint32_t size) {
  if (domain < 1 || size < 1) {
    return Error{ErrorCode::kInvalidArgument, "a synthetic database needs a domain and a size of at least 1"};
  }
  const Error too_large{ErrorCode::kDomainTooLarge,
                        "there are more than 2^22 synthetic databases, too many to enumerate: use a smaller size or "
                        "domain, or the Markov chain, which has no proved ε"};
  if (domain > kMost || size > kMost || std::uint64_t{domain + 1} * (std::uint64_t{size} + 1) > 16 * kMost) {
    return too_large;
  }
  const std::size_t width = std::size_t{size} + 1;
  std::vector<std::uint64_t> table((domain + 1) * width, 0);
  table[0] = 1;
  for (std::size_t elements = 1; elements <= domain; ++elements) {
    for (std::size_t chosen = 0; chosen < width; ++chosen) {
      const std::uint64_t without = table[(elements - 1) * width + chosen];
      const std::uint64_t with = chosen == 0 ? 0 : table[elements * width + chosen - 1];
      // create() refuses a total above kMost, so kMost + 1 stands for all larger numbers.
      table[elements * width + chosen] = std::min(without + with, kMost + 1);
    }
  }
  if (table.back() > kMost) return too_large;
  return Multisets(domain, size, std::move(table));
}

Counts Multisets::at(std::uint64_t index) const {
  Counts counts(domain_, 0);
  std::uint32_t left = size_;
  for (std::size_t x = 0; x + 1 < domain_; ++x) {
    while (index >= from(domain_ - x - 1, left)) {
      index -= from(domain_ - x - 1, left);
      ++counts[x];
      --left;
    }
  }
  counts.back() = left;
  return counts;
}

std::uint64_t Multisets::index_of(std::span<const std::uint32_t> counts) const {
  std::uint64_t index = 0;
  std::uint32_t left = size_;
  for (std::size_t x = 0; x + 1 < domain_; ++x) {
    for (std::uint32_t taken = 0; taken < counts[x]; ++taken) index += from(domain_ - x - 1, left--);
  }
  return index;
}

// Let e be the last element with copies. Moves one copy of e to the element before e, and the other copies to the end.
void Multisets::advance(Counts& counts) {
  std::size_t last = counts.size() - 1;
  while (counts[last] == 0) --last;
  const std::uint32_t copies = counts[last];
  counts[last] = 0;
  ++counts[last - 1];
  counts.back() = copies - 1;
}

double log_multisets(std::uint64_t domain, std::uint64_t size) {
  constexpr std::uint64_t kMostTerms = 1'000'000;
  const auto x = static_cast<double>(domain);
  const auto m = static_cast<double>(size);
  const std::uint64_t terms = std::min(size, domain - 1);
  if (terms > kMostTerms) return std::lgamma(x + m) - std::lgamma(m + 1) - std::lgamma(x);
  const double base = std::max(m, x - 1);
  double sum = 0;
  for (std::uint64_t i = 1; i <= terms; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::log((base + k) / k);
  }
  return sum;
}

}  // namespace hearsay::central
