// Each of ten thousand people has one of eight fruits, and reports a set of two. The program estimates the fractions
// from the reports.
#include <array>
#include <iomanip>
#include <iostream>

#include "examples/randomizer/subset_channel.h"

int main() {
  using namespace hearsay;
  constexpr std::uint64_t kPeople = 10'000;
  constexpr std::array<const char*, 8> kFruits{"apple", "pear", "plum", "grape", "fig", "lemon", "lime", "melon"};

  const auto channel = examples::SubsetChannel::create(kFruits.size(), 2, Epsilon::parse("2").value());
  if (!channel) {
    std::cerr << channel.error().message << '\n';
    return 2;
  }
  std::array<std::uint64_t, kFruits.size()> people{};
  std::array<std::uint64_t, kFruits.size()> counts{};
  for (std::uint64_t person = 0; person < kPeople; ++person) {
    const auto fruit = static_cast<std::uint32_t>(person % 3 == 0 ? 4 : person % kFruits.size());  // many like figs
    ++people[fruit];
    const auto subset = channel->subset(channel->draw(system_bit_source()), fruit);
    for (std::uint32_t v = 0; v < counts.size(); ++v) counts[v] += (subset >> v) & 1U;
  }
  const auto fractions = channel->estimate(counts, kPeople);
  std::cout << std::fixed << std::setprecision(3);
  for (std::size_t v = 0; v < fractions.size(); ++v) {
    std::cout << std::left << std::setw(6) << kFruits[v] << " true " << static_cast<double>(people[v]) / kPeople
              << "  estimate " << fractions[v] << '\n';
  }
}
