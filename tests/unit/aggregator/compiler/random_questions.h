#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/channel/questions.h"
#include "common/privacy/coin.h"
#include "tests/support/bit_sources.h"

namespace hearsay::tests {

// Makes questions of every kind. Some questions have answers that depend little on the value.
class RandomQuestions {
 public:
  explicit RandomQuestions(std::string_view key) : bits_(key), coin_(bits_) {}
  std::uint32_t from(std::uint32_t first, std::uint32_t last) {
    return first + static_cast<std::uint32_t>(coin_.uniform_below(last - first + 1));
  }
  double unit() { return static_cast<double>(coin_.uniform_below(1U << 20U)) / (1U << 20U); }

  CircleQuestions circle(std::uint32_t values) {
    CircleQuestions circle;
    constexpr std::array kPlaces{1U, 2U, 3U};
    switch (from(0, 4)) {
      case 0:
        circle.places = values;
        break;
      case 1:
        circle.places = kPlaces[from(0, 2)] * values;
        break;
      case 2:
        circle.places = std::max(values, 2 * (values - 1));
        break;
      default:
        circle.places = from(values, 4 * values);
        break;
    }
    while (circle.bits < 3 && 2U << circle.bits <= circle.places && from(0, 2) == 0) ++circle.bits;
    const bool odd = from(0, 2) == 0;
    const bool few = from(0, 1) == 0;
    for (std::uint32_t j = 1; j <= circle.places / 2; j += odd ? 2 : 1) {
      if (few && j > 1 && from(0, 3) > 0) continue;
      circle.multipliers.push_back(j);
      circle.weights.push_back(from(1, 1000) * from(1, 1000));
    }
    return circle;
  }

  LevelQuestions levels(std::uint32_t bits) {
    LevelQuestions levels;
    const std::uint32_t size = from(1, std::min(3U, bits));
    std::vector<std::vector<std::uint32_t>> all;
    for (std::uint32_t set = 1; set < 1U << bits; ++set) {
      if (std::popcount(set) != static_cast<int>(size)) continue;
      std::vector<std::uint32_t>& list = all.emplace_back();
      for (std::uint32_t l = 0; l < bits; ++l) {
        if ((set >> l & 1U) != 0) list.push_back(l);
      }
    }
    std::sort(all.begin(), all.end());
    for (const auto& set : all) {
      if (!levels.levels.empty() && from(0, 2) == 0) continue;
      levels.levels.push_back(set);
      levels.weights.push_back(from(1, 1000));
    }
    return levels;
  }

  Questions questions(std::uint32_t values) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(values - 1));
    QuestionSpec spec = circle(values);
    const std::uint32_t kind = from(0, 3);
    if (kind == 0) spec = ParityQuestions{from(1, bits)};
    if (kind == 1) spec = levels(bits);
    if (kind == 2) spec = HashQuestions{from(2, values)};
    return Questions::create(spec, values).value();
  }

  // Returns a random function on `values` values. Half of the functions have only two results, as queries do.
  std::vector<double> function(std::uint32_t values) {
    std::vector<double> g(values);
    const bool binary = from(0, 1) == 0;
    for (double& value : g) value = binary ? from(0, 1) : unit();
    return g;
  }

 private:
  CounterBitSource bits_;
  BitCoin coin_;
};

}  // namespace hearsay::tests
