#include "common/base/nearest.h"

#include <algorithm>

namespace hearsay {
namespace {

constexpr std::size_t kLongest = 64;  // the most bytes of a word
constexpr std::size_t kMostCandidates = 256;

// Returns the optimal string alignment distance: how many letters must be added, removed, replaced or exchanged with
// their neighbour to turn one word into the other.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& least = table[i][j];
      if (i == 0 || j == 0) {
        least = i + j;
        continue;
      }
      const bool same = a[i - 1] == b[j - 1];
      least = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (same ? 0 : 1)});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) least = std::min(least, table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t fewest = 0;
  if (word.empty() || word.size() > kLongest) return best;
  for (std::size_t i = 0; i < std::min(candidates.size(), kMostCandidates); ++i) {
    const std::string& candidate = candidates[i];
    if (2 * candidate.size() > 3 * word.size() + 4 && !candidate.starts_with(word)) continue;
    const std::size_t distance = candidate.starts_with(word) ? 0 : edits(word, candidate);
    if (3 * distance > candidate.size() + 1) continue;
    if (best.empty() || distance < fewest) {
      best = candidate;
      fewest = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

}  // namespace hearsay
