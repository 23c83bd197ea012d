#include "common/channel/strategy.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <utility>

#include "common/base/try.h"
#include "common/privacy/exponential.h"
#include "common/random/cleanse.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kOne = std::uint64_t{1} << 32U;

Error bad_matrix(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// Returns all ones if a == b, else 0, without a branch.
std::uint32_t mask_if_equal(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t difference = a ^ b;
  return static_cast<std::uint32_t>(((difference | (0 - difference)) >> 63U) - 1);
}

Result<std::vector<std::uint32_t>> values_of(const Arrangement& arrangement) {
  const auto* characters = std::get_if<Characters>(&arrangement.kind());
  if (characters == nullptr || characters->order() != characters->index().attributes()) {
    return bad_matrix(
        "the channel `strategy` needs the arrangement `characters` with the number of attributes as its order");
  }
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < characters->index().attributes(); ++i) values.push_back(characters->values(i));
  return values;
}

Result<void> check_sum(std::uint64_t sum, const std::string& of) {
  if (sum == kOne) return {};
  return bad_matrix("matrix: the entries of " + of + " add up to " + std::to_string(sum) + " and not to 2^32");
}

// Checks that the entries of each record add up to 2^32. With shifts, every record has each entry of all rows once, so
// all entries together must add up to 2^32.
Result<void> check_sums(const StrategySpec& spec, std::size_t records) {
  const auto sum_of = [](std::span<const std::uint32_t> entries) {
    return std::accumulate(entries.begin(), entries.end(), std::uint64_t{0});
  };
  if (spec.shifts) return check_sum(sum_of(spec.matrix), "all rows");
  for (std::size_t x = 0; x < records; ++x) {
    const std::span<const std::uint32_t> law = std::span(spec.matrix).subspan(x * spec.outputs, spec.outputs);
    HEARSAY_CHECK_OK(check_sum(sum_of(law), "record number " + std::to_string(x)));
  }
  return {};
}

Result<void> check_ratios(const StrategyChannel& channel, const Epsilon& epsilon) {
  HEARSAY_TRY(const Rational bound, Rational::create(epsilon.num(), epsilon.den()));
  for (std::uint32_t row = 0; row < channel.rows(); ++row) {
    const std::uint32_t k = row * channel.outputs_per_row();
    std::uint32_t least = channel.entry(0, k);
    std::uint32_t most = least;
    for (std::size_t x = 1; x < channel.records(); ++x) {
      least = std::min(least, channel.entry(x, k));
      most = std::max(most, channel.entry(x, k));
    }
    const std::string output =
        (channel.shifts() ? "matrix: row number " : "matrix: output number ") + std::to_string(row);
    if (least == 0) return bad_matrix(output + " has an entry of 0; every record must be able to give every output");
    // The negation also refuses a ratio that is too close to e^ε to decide.
    if (!(compare_with_exp(most, least, bound) <= 0)) {
      return bad_matrix(output + " has an entry above e^epsilon times its least one");
    }
  }
  return {};
}

// Returns the number of k for which the coin is at least the sum of entries 0 to k. Sums are at most 2^32, so the sign
// of the difference tells which is larger.
std::uint32_t entries_passed(std::uint32_t coin, std::span<const std::uint32_t> entries) {
  std::uint64_t sum = 0;
  std::uint64_t passed = 0;
  for (const std::uint32_t entry : entries) {
    sum += entry;
    passed += 1 - ((coin - sum) >> 63U);
  }
  return static_cast<std::uint32_t>(passed);
}

}  // namespace

Result<StrategyChannel> StrategyChannel::create(const StrategySpec& spec, const Arrangement& arrangement,
                                                const Epsilon& epsilon) {
  HEARSAY_TRY(std::vector<std::uint32_t> values, values_of(arrangement));
  HEARSAY_TRY(StrategyChannel channel, over(std::move(values), spec));
  HEARSAY_CHECK_OK(check_ratios(channel, epsilon));
  return channel;
}

Result<StrategyChannel> StrategyChannel::with_matrix(const StrategySpec& spec) const {
  return over(state_->group.values(), spec);
}

Result<StrategyChannel> StrategyChannel::over(std::vector<std::uint32_t> values, const StrategySpec& spec) {
  const std::uint64_t most = spec.shifts ? kMaxShiftRecords : kMaxRecords;
  std::uint64_t records = 1;
  for (const std::uint32_t count : values) {
    records = std::min(records, most) * count;  // the product has at most 45 bits
  }
  if (records > most) {
    return Error{
        ErrorCode::kLimitExceeded,
        (spec.shifts ? "strategy with shifts takes schemas of at most " : "strategy takes schemas of at most ") +
            std::to_string(most) + " records: take fewer attributes, or fewer values of each"};
  }
  if (spec.outputs < 2) return bad_matrix("outputs must be at least 2");
  if (spec.shifts && spec.outputs % records != 0) {
    return bad_matrix("outputs must be a multiple of " + std::to_string(records) +
                      ", the number of records, since every row is shifted by every record");
  }
  const std::uint64_t entries = spec.shifts ? spec.outputs : records * spec.outputs;
  if (entries > kMaxEntries) {
    return Error{ErrorCode::kLimitExceeded, "the matrix has more than 2^19 entries: take fewer outputs"};
  }
  if (spec.matrix.size() != entries) {
    return bad_matrix("matrix must have " + std::to_string(entries) + " entries, one for each " +
                      (spec.shifts ? "row and record" : "record and output") + ", and has " +
                      std::to_string(spec.matrix.size()));
  }
  HEARSAY_CHECK_OK(check_sums(spec, records));
  const auto bits = static_cast<std::size_t>(std::bit_width(spec.outputs - 1));
  return StrategyChannel(std::make_shared<const State>(
      State{ShiftGroup(std::move(values)), spec.shifts, spec.outputs, (bits + 7) / 8, spec.matrix}));
}

std::uint32_t StrategyChannel::entry(std::size_t x, std::uint32_t k) const {
  const State& state = *state_;
  if (!state.shifts) return state.matrix[x * state.outputs + k];
  const std::uint32_t records = state.group.size();
  return state.matrix[k / records * records + state.group.difference(static_cast<std::uint32_t>(x), k % records)];
}

std::size_t StrategyChannel::number_of(const Record& record) const {
  std::size_t number = 0;
  for (std::size_t i = 0; i < values().size(); ++i) number = number * values()[i] + record[i];
  return number;
}

bool StrategyChannel::is_over(const Arrangement& arrangement) const {
  const Result<std::vector<std::uint32_t>> other = values_of(arrangement);
  return other && *other == values();
}

std::uint32_t StrategyChannel::output(std::uint32_t coin, const Record& record) const {
  return state_->shifts ? shifted_output(coin, record) : listed_output(coin, record);
}

std::uint32_t StrategyChannel::listed_output(std::uint32_t coin, const Record& record) const {
  const State& state = *state_;
  const std::size_t number = number_of(record);
  std::vector<std::uint32_t> law(state.outputs, 0);
  for (std::size_t x = 0; x < state.group.size(); ++x) {
    const std::uint32_t mask = mask_if_equal(x, number);
    const std::uint32_t* entries = &state.matrix[x * state.outputs];
    for (std::size_t k = 0; k < state.outputs; ++k) law[k] |= entries[k] & mask;
  }
  const std::uint32_t output = entries_passed(coin, law);
  cleanse(law.data(), law.size() * sizeof(law[0]));
  return output;
}

// at.remainder is z. Whoever knows the output and z knows the record, so z is as secret as the record.
std::uint32_t StrategyChannel::shifted_output(std::uint32_t coin, const Record& record) const {
  const State& state = *state_;
  const std::uint32_t records = state.group.size();
  const auto x = static_cast<std::uint32_t>(number_of(record));
  const Quotient at = divide_by_public(entries_passed(coin, state.matrix), records);
  return static_cast<std::uint32_t>(at.quotient) * records + state.group.difference(x, at.remainder);
}

void StrategyChannel::pack(std::uint32_t output, std::span<std::uint8_t> payload) const {
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::uint8_t>(output >> (8 * i));
}

std::optional<std::uint32_t> StrategyChannel::try_unpack(std::span<const std::uint8_t> payload) const {
  if (payload.size() != state_->payload_size) return std::nullopt;
  std::uint32_t output = 0;
  for (std::size_t i = 0; i < payload.size(); ++i) output |= std::uint32_t{payload[i]} << (8 * i);
  return output < state_->outputs ? std::optional(output) : std::nullopt;
}

Result<void> StrategyChannel::check(std::span<const std::uint8_t> payload) const {
  if (payload.size() != state_->payload_size) {
    return Error{ErrorCode::kReportWrongSize, "the payload has another size than the payloads of this task"};
  }
  if (try_unpack(payload)) return {};
  return Error{ErrorCode::kReportOutOfBounds, "the payload is not an output of this task's strategy"};
}

}  // namespace hearsay
