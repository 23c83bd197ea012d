#include "examples/separations/parity_gap.h"

#include <cmath>
#include <cstdlib>
#include <vector>

#include "common/base/try.h"
#include "examples/separations/parity_transform.h"

namespace hearsay::examples {
namespace {

Result<void> add_indicator(std::span<const std::uint32_t> rows, std::int32_t sign, std::vector<std::int32_t>& values) {
  std::vector<bool> seen(values.size(), false);
  for (const std::uint32_t row : rows) {
    if (row >= values.size()) return Error{ErrorCode::kInvalidArgument, "a row has more bits than stated"};
    if (seen[row]) return Error{ErrorCode::kInvalidArgument, "a row occurs twice; the rows of a database must differ"};
    seen[row] = true;
    values[row] += sign;
  }
  return {};
}

}  // namespace

Result<ParityGap> widest_parity(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second,
                                unsigned bits) {
  if (bits > 20) return Error{ErrorCode::kDomainTooLarge, "parities are searched only for rows of at most 20 bits"};
  if (first.empty() || first.size() != second.size()) {
    return Error{ErrorCode::kInvalidArgument, "the two databases need equally many rows, at least one"};
  }
  std::vector<std::int32_t> values(std::size_t{1} << bits, 0);
  HEARSAY_CHECK_OK(add_indicator(first, 1, values));
  HEARSAY_CHECK_OK(add_indicator(second, -1, values));
  walsh_hadamard(std::span<std::int32_t>(values));
  std::size_t widest = 0;
  for (std::size_t s = 1; s < values.size(); ++s) {
    if (std::abs(values[s]) > std::abs(values[widest])) widest = s;
  }
  return ParityGap{static_cast<std::uint32_t>(widest),
                   std::abs(values[widest]) / (2.0 * static_cast<double>(first.size()))};
}

double parity_gap_bound(std::uint64_t rows) { return 1 / (2 * std::sqrt(2 * static_cast<double>(rows))); }

}  // namespace hearsay::examples
