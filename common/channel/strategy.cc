#include "common/channel/strategy.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "common/base/try.h"
#include "common/privacy/exponential.h"
#include "common/random/cleanse.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kOne = std::uint64_t{1} << 32U;

Error bad_matrix(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// All ones if a == b, else 0, without a branch.
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

Result<void> check_sums(const StrategySpec& spec, std::size_t records) {
  for (std::size_t x = 0; x < records; ++x) {
    std::uint64_t sum = 0;
    for (std::uint32_t k = 0; k < spec.outputs; ++k) sum += spec.matrix[x * spec.outputs + k];
    if (sum != kOne) {
      return bad_matrix("matrix: the entries of record number " + std::to_string(x) + " add up to " +
                        std::to_string(sum) + " and not to 2^32");
    }
  }
  return {};
}

Result<void> check_ratios(const StrategySpec& spec, std::size_t records, const Epsilon& epsilon) {
  HEARSAY_TRY(const Rational bound, Rational::create(epsilon.num(), epsilon.den()));
  for (std::uint32_t k = 0; k < spec.outputs; ++k) {
    std::uint32_t least = spec.matrix[k];
    std::uint32_t most = least;
    for (std::size_t x = 1; x < records; ++x) {
      least = std::min(least, spec.matrix[x * spec.outputs + k]);
      most = std::max(most, spec.matrix[x * spec.outputs + k]);
    }
    const std::string output = "matrix: output number " + std::to_string(k);
    if (least == 0) return bad_matrix(output + " has an entry of 0; every record must be able to give every output");
    // Refuses a ratio that is too close to e^ε to decide.
    if (!(compare_with_exp(most, least, bound) <= 0)) {
      return bad_matrix(output + " has an entry above e^epsilon times its least one");
    }
  }
  return {};
}

}  // namespace

Result<StrategyChannel> StrategyChannel::create(const StrategySpec& spec, const Arrangement& arrangement,
                                                const Epsilon& epsilon) {
  HEARSAY_TRY(std::vector<std::uint32_t> values, values_of(arrangement));
  HEARSAY_TRY(StrategyChannel channel, over(std::move(values), spec));
  HEARSAY_CHECK_OK(check_ratios(spec, channel.records(), epsilon));
  return channel;
}

Result<StrategyChannel> StrategyChannel::with_matrix(const StrategySpec& spec) const {
  return over(state_->values, spec);
}

Result<StrategyChannel> StrategyChannel::over(std::vector<std::uint32_t> values, const StrategySpec& spec) {
  std::uint64_t records = 1;
  for (const std::uint32_t count : values) {
    records = std::min(records, kMaxRecords) * count;  // 42 bits at most
  }
  if (records > kMaxRecords) {
    return Error{ErrorCode::kLimitExceeded, "strategy takes schemas of at most " + std::to_string(kMaxRecords) +
                                                " records: take fewer attributes, or fewer values of each"};
  }
  if (spec.outputs < 2) return bad_matrix("outputs must be at least 2");
  if (spec.outputs > kMaxEntries / records) {
    return Error{ErrorCode::kLimitExceeded, "the matrix has more than 2^19 entries: take fewer outputs"};
  }
  if (spec.matrix.size() != records * spec.outputs) {
    return bad_matrix("matrix must have " + std::to_string(records * spec.outputs) +
                      " entries, one for each record and output, and has " + std::to_string(spec.matrix.size()));
  }
  HEARSAY_CHECK_OK(check_sums(spec, records));
  const auto bits = static_cast<std::size_t>(std::bit_width(spec.outputs - 1));
  return StrategyChannel(std::make_shared<const State>(
      State{std::move(values), static_cast<std::size_t>(records), spec.outputs, (bits + 7) / 8, spec.matrix}));
}

std::size_t StrategyChannel::number_of(const Record& record) const {
  std::size_t number = 0;
  for (std::size_t i = 0; i < state_->values.size(); ++i) number = number * state_->values[i] + record[i];
  return number;
}

bool StrategyChannel::is_over(const Arrangement& arrangement) const {
  const Result<std::vector<std::uint32_t>> values = values_of(arrangement);
  return values && *values == state_->values;
}

std::uint32_t StrategyChannel::output(std::uint32_t coin, const Record& record) const {
  const State& state = *state_;
  const std::size_t number = number_of(record);
  std::vector<std::uint32_t> law(state.outputs, 0);
  for (std::size_t x = 0; x < state.records; ++x) {
    const std::uint32_t mask = mask_if_equal(x, number);
    const std::uint32_t* entries = &state.matrix[x * state.outputs];
    for (std::size_t k = 0; k < state.outputs; ++k) law[k] |= entries[k] & mask;
  }
  // Counts the outputs for which the coin reaches the sum of the entries so far. Sums are at most 2^32, so the sign of
  // the difference decides.
  std::uint64_t sum = 0;
  std::uint64_t output = 0;
  for (const std::uint32_t entry : law) {
    sum += entry;
    output += 1 - ((coin - sum) >> 63U);
  }
  cleanse(law.data(), law.size() * sizeof(law[0]));
  return static_cast<std::uint32_t>(output);
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
