
#include "aggregator/tally/laplace_tally.h"

#include "aggregator/tally/encoding.h"

namespace hearsay::tally {
namespace {

constexpr std::size_t kHeaderBytes = 13;
constexpr std::size_t kCoordinateBytes = 24;
constexpr std::uint64_t kLargestSquare = ((std::uint64_t{1} << 31U) - 1) * ((std::uint64_t{1} << 31U) - 1);

template <class Unsigned>
void append_fixed(std::string& out, Unsigned value) {
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    out.push_back(static_cast<char>(static_cast<std::uint8_t>(value >> (8 * i))));
  }
}

template <class Unsigned>
Unsigned take_fixed(std::string_view& bytes) {
  Unsigned value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) value |= Unsigned{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
  bytes.remove_prefix(sizeof(Unsigned));
  return value;
}

// Checks four conditions that hold for the sum and the sum of squares of any n integers y with |y| < 2^31: Σy² <=
// n·(2^31 - 1)², |Σy| <= Σy², (Σy)² <= n·Σy² (Cauchy–Schwarz), and both sums are even or both are odd. No product
// exceeds 2^126.
bool possible(std::uint64_t n, std::int64_t sum, Uint128 squares) {
  if (squares > Uint128{n} * kLargestSquare) return false;
  const Uint128 magnitude = sum < 0 ? Uint128{0} - static_cast<Uint128>(sum) : static_cast<Uint128>(sum);
  if (magnitude > squares || magnitude % 2 != squares % 2) return false;
  return magnitude * magnitude <= n * squares;
}

}  // namespace

void LaplaceTally::add(std::span<const std::int32_t> y) {
  ++reports;
  for (std::size_t j = 0; j < sum.size(); ++j) {
    const std::int64_t value = y[j];
    sum[j] += value;
    sum_of_squares[j] += static_cast<std::uint64_t>(value * value);
  }
}

Result<void> LaplaceTally::merge(const LaplaceTally& other) {
  if (other.sum.size() != sum.size()) {
    return Error{ErrorCode::kInvalidArgument, "tallies of different channels cannot be merged"};
  }
  if (other.reports > kMaxReports || reports > kMaxReports - other.reports) {
    return Error{ErrorCode::kOverflow, "a tally holds at most 2^32 reports"};
  }
  reports += other.reports;
  for (std::size_t j = 0; j < sum.size(); ++j) {
    sum[j] += other.sum[j];
    sum_of_squares[j] += other.sum_of_squares[j];
  }
  return {};
}

std::string LaplaceTally::encode() const {
  std::string out;
  out.reserve(kHeaderBytes + kCoordinateBytes * sum.size());
  append_fixed(out, kKindLaplace);
  append_fixed(out, reports);
  append_fixed(out, static_cast<std::uint32_t>(sum.size()));
  for (std::size_t j = 0; j < sum.size(); ++j) {
    append_fixed(out, static_cast<std::uint64_t>(sum[j]));
    append_fixed(out, sum_of_squares[j]);
  }
  return out;
}

Result<LaplaceTally> LaplaceTally::decode(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes) return corrupt("a tally ends early");
  if (take_fixed<std::uint8_t>(bytes) != kKindLaplace) return corrupt("a tally is of an unknown kind");
  const auto reports = take_fixed<std::uint64_t>(bytes);
  const auto coordinates = take_fixed<std::uint32_t>(bytes);
  if (reports > kMaxReports) return corrupt("a tally has more than 2^32 reports");
  if (bytes.size() != kCoordinateBytes * coordinates) return corrupt("a tally's length does not fit its coordinates");

  LaplaceTally tally(coordinates);
  tally.reports = reports;
  for (std::size_t j = 0; j < coordinates; ++j) {
    tally.sum[j] = static_cast<std::int64_t>(take_fixed<std::uint64_t>(bytes));
    tally.sum_of_squares[j] = take_fixed<Uint128>(bytes);
    if (!possible(reports, tally.sum[j], tally.sum_of_squares[j])) return corrupt("a tally holds impossible sums");
  }
  return tally;
}

}  // namespace hearsay::tally
