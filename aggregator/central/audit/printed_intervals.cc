#include "aggregator/central/audit/printed_intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hearsay::central {
namespace {

// Returns Pr[Y > t], where Y has the continuous Laplace law of this scale.
long double upper_tail(long double t, long double scale) {
  return t >= 0 ? std::exp(-t / scale) / 2 : 1 - std::exp(t / scale) / 2;
}

// Returns Pr[low < Y < high]. A difference of two tails would lose precision, so the formulas avoid such a difference.
long double between(long double low, long double high, long double scale) {
  if (low >= 0) return std::exp(-low / scale) * -std::expm1((low - high) / scale) / 2;
  if (high <= 0) return between(-high, -low, scale);
  return -(std::expm1(-high / scale) + std::expm1(low / scale)) / 2;
}

struct PieceSearch {
  const std::vector<std::uint32_t>& up_to;  // up_to[c] is the number of records in the cells first, ..., c
  long double low;
  long double high;
  long double scale;
  std::vector<long double>& ends;

  void run(std::uint32_t least, std::uint32_t most, long double probability) const {
    if (least == most) {
      ends[least] += probability;
      return;
    }
    const std::uint32_t middle = (least + most) / 2;
    const long double count = up_to[middle];
    ends[middle] += probability * between(low - count, high - count, scale);
    run(least, middle, probability * upper_tail(high - count, scale));
    run(middle + 1, most, probability * upper_tail(count - low, scale));
  }
};

}  // namespace

PrintedIntervals::Law PrintedIntervals::law(const Rows& rows) const {
  const long double n = rows.size();
  const long double mass = error_ / 4;
  const long double tolerance = error_ * error_ / 8;
  Law law(cells(), std::vector<long double>(cells(), 0));
  for (std::uint32_t first = 0; first < cells(); ++first) {
    std::vector<std::uint32_t> up_to(cells(), 0);
    for (const std::uint32_t row : rows) {
      for (std::uint32_t c = std::max(first, row); row >= first && c < cells(); ++c) ++up_to[c];
    }
    PieceSearch{up_to, (mass - tolerance) * n, (mass + tolerance) * n, 4 * bits_ / (alpha_ * error_), law[first]}.run(
        first, cells() - 1, 1);
  }
  return law;
}

long double PrintedIntervals::largest_log_ratio(const Law& first, const Law& second) {
  std::vector<long double> from(first.size() + 1, 0);  // from[a]: the largest log-ratio of the cells from a on
  for (std::size_t a = first.size(); a-- > 0;) {
    from[a] = -std::numeric_limits<long double>::infinity();
    for (std::size_t c = a; c < first.size(); ++c) {
      if (first[a][c] > 0) from[a] = std::max(from[a], std::log(first[a][c] / second[a][c]) + from[c + 1]);
    }
  }
  return from[0];
}

}  // namespace hearsay::central
