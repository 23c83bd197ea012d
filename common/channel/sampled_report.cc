// Draws reports, interprets answers, and packs the payload that format.md describes.

#include <algorithm>
#include <array>
#include <bit>

#include "common/base/int128.h"
#include "common/channel/public_division.h"
#include "common/channel/sampled.h"
#include "common/channel/sampled_state.h"
#include "common/privacy/coin.h"

namespace hearsay {
namespace {

using Covered = SampledChannel::Covered;
using GroupClass = SampledChannel::GroupClass;

// The most attributes of a group. A kEven group has one attribute more than its answer has bits. A kSingle group has at
// most w attributes, where w is the arrangement's order. w attributes have at least 2^w - 1 characters, and there are
// fewer than 2^32 characters, so w is at most 32.
constexpr std::size_t kMaxAttributes = 32;
static_assert(kMaxAttributes >= SampledChannel::kMaxWidth + 1);
static_assert((std::uint64_t{1} << (kMaxAttributes + 1)) - 1 > Characters::kMaxDimension);

struct Factors {
  std::array<Factor, kMaxAttributes> storage;
  std::size_t size;
  std::span<const Factor> all() const { return std::span(storage).first(size); }
};

void unrank(const AskedGroups& asked, std::uint64_t rank, std::span<Factor> factors) {
  asked.groups.unrank(rank, factors);
  for (Factor& factor : factors) factor.attribute = asked.attributes[factor.attribute];
}

// Draws a set of attributes by their odds, and then a question about each. Returns the rank of the group.
std::uint64_t draw_rank(const AskedGroups& asked, std::span<const Questions> questions, std::uint32_t size,
                        BitCoin& coin) {
  Factors factors{{}, size};
  const std::span<Factor> all = std::span(factors.storage).first(size);
  asked.sets.unrank(coin.uniform_below(asked.sets.count(size)), all);
  for (Factor& factor : all) {
    factor.mask = questions[asked.attributes[factor.attribute]].draw(coin) + 1;
  }
  return asked.groups.rank(all);
}

std::uint32_t bits_of_answer(GroupKind kind, std::span<const Questions> questions, std::span<const Factor> factors,
                             std::span<const std::uint32_t> values) {
  std::uint32_t bits = 0;
  std::uint32_t product = 0;
  std::uint32_t shift = 0;
  for (const auto& [attribute, mask] : factors) {
    const std::uint32_t answer = questions[attribute].answer(mask - 1, values[attribute]);
    product ^= answer;
    bits |= answer << shift;
    shift += questions[attribute].width();
  }
  if (kind == GroupKind::kSingle) return product;
  if (kind == GroupKind::kRaw) return bits;
  // Generator i is factor 0 times factor i+1.
  const std::uint32_t first = std::uint32_t{0} - (bits & 1U);
  return ((bits ^ first) & ((1U << factors.size()) - 1)) >> 1U;
}

// Appends the characters on the subsets of size l of the factors. Before the shift, bit i of `answer_mask` stands for
// factor i.
void append_subsets(const Characters& characters, std::span<const Factor> factors, std::uint32_t l, unsigned shift,
                    std::vector<Covered>& out) {
  std::array<Factor, kMaxAttributes> chosen{};
  const std::uint32_t end = 1U << factors.size();
  for (std::uint32_t subset = (1U << l) - 1; subset < end;) {
    std::size_t size = 0;
    for (std::uint32_t rest = subset; rest != 0; rest &= rest - 1) {
      chosen[size++] = factors[static_cast<std::size_t>(std::countr_zero(rest))];
    }
    out.push_back({characters.coordinate(std::span(chosen).first(size)), subset >> shift});
    // Moves to the next larger number with equally many bits set.
    const std::uint32_t lowest = subset & (0U - subset);
    const std::uint32_t carried = subset + lowest;
    subset = carried | (((subset ^ carried) / lowest) >> 2U);
  }
}

void cover(const GroupsOfLiterals& groups, const GroupClass& group_class, std::uint64_t group,
           std::vector<Covered>& out) {
  for (std::uint32_t i = 0; i < group_class.width; ++i) {
    out.push_back({static_cast<std::uint32_t>(groups.group_size * group + i), 1U << i});
  }
}

void cover(const Characters& characters, GroupKind kind, std::span<const Factor> factors, std::vector<Covered>& out) {
  if (kind == GroupKind::kSingle) {
    out.push_back({characters.coordinate(factors), 1});
    return;
  }
  const bool even = kind == GroupKind::kEven;
  const std::uint32_t largest = std::min(static_cast<std::uint32_t>(factors.size()), characters.order());
  for (std::uint32_t l = even ? 2 : 1; l <= largest; l += even ? 2 : 1) {
    append_subsets(characters, factors, l, even ? 1 : 0, out);
  }
  std::sort(out.begin(), out.end(), [](const Covered& a, const Covered& b) { return a.coordinate < b.coordinate; });
}

}  // namespace

SampledChannel::Draw SampledChannel::draw(BitSource& bits) const {
  BitCoin coin(bits);
  const std::vector<std::uint64_t>& up_to = state_->weight_up_to;
  const std::uint64_t at = coin.uniform_below(state_->total_weight);
  const auto c = static_cast<std::size_t>(std::upper_bound(up_to.begin(), up_to.end(), at) - up_to.begin());
  const GroupClass& group_class = state_->classes[c];
  const auto* groups = std::get_if<GroupsOfCharacters>(&state_->kind);
  const std::uint64_t rank = groups == nullptr
                                 ? coin.uniform_below(group_class.count)
                                 : draw_rank(groups->of_class[c], groups->questions, group_class.size, coin);
  const std::uint64_t group = group_class.first + rank;
  const std::uint64_t truth = bits.bits(64);
  const auto uniform = static_cast<std::uint32_t>(coin.uniform_below(group_class.answers));
  return {group, truth, nth_answer(group, uniform)};
}

// The coin reveals whether the report carries the true value. So the code uses masks, and has no branch on the coin or
// the true value.
// coin < gamma if and only if the subtraction borrows.
std::uint32_t SampledChannel::answer(const Draw& draw, const Record& record) const {
  const Uint128 difference = Uint128{draw.coin} - class_of(draw.group).gamma;
  const std::uint32_t told = std::uint32_t{0} - static_cast<std::uint32_t>((difference >> 64U) & 1U);
  return (true_value(draw.group, record) & told) | (draw.uniform & ~told);
}

// If the report differs from the uniform answer, the report carries the true value. So the uniform answer is secret,
// and the code divides its number in constant time.
std::uint32_t SampledChannel::nth_answer(std::uint64_t group, std::uint32_t n) const {
  const GroupClass& group_class = class_of(group);
  if (group_class.answers == 1U << group_class.width) return n;
  const std::vector<Questions>& questions = std::get<GroupsOfCharacters>(state_->kind).questions;
  Factors all{{}, group_class.size};
  factors(group, std::span(all.storage).first(all.size));
  std::uint32_t answer = 0;
  std::uint32_t shift = 0;
  for (const Factor& factor : all.all()) {
    const Questions& of_one = questions[factor.attribute];
    const auto [rest, own] = divide_by_public(n, of_one.answers());
    answer |= own << shift;
    shift += of_one.width();
    n = rest;
  }
  return answer;
}

bool SampledChannel::is_answer(std::uint64_t group, std::uint32_t answer) const {
  const GroupClass& group_class = class_of(group);
  if (answer >> group_class.width != 0) return false;
  if (group_class.answers == 1U << group_class.width) return true;
  const std::vector<Questions>& questions = std::get<GroupsOfCharacters>(state_->kind).questions;
  Factors all{{}, group_class.size};
  factors(group, std::span(all.storage).first(all.size));
  for (const Factor& factor : all.all()) {
    const Questions& of_one = questions[factor.attribute];
    if ((answer & ((1U << of_one.width()) - 1)) >= of_one.answers()) return false;
    answer >>= of_one.width();
  }
  return true;
}

std::uint32_t SampledChannel::true_value(std::uint64_t group, const Record& record) const {
  const GroupClass& group_class = class_of(group);
  if (const auto* characters = std::get_if<GroupsOfCharacters>(&state_->kind)) {
    Factors all{{}, group_class.size};
    factors(group, std::span(all.storage).first(all.size));
    return bits_of_answer(group_class.kind, characters->questions, all.all(), record.values());
  }
  const auto& groups = std::get<GroupsOfLiterals>(state_->kind);
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < group_class.width; ++i) {
    bits |= groups.literals.is_negative(groups.group_size * group + i, record) << i;
  }
  return bits;
}

void SampledChannel::covered(std::uint64_t group, std::vector<Covered>& out) const {
  require_coordinates();
  out.clear();
  const GroupClass& group_class = class_of(group);
  if (const auto* literals = std::get_if<GroupsOfLiterals>(&state_->kind)) {
    cover(*literals, group_class, group, out);
    return;
  }
  Factors all{{}, group_class.size};
  factors(group, std::span(all.storage).first(all.size));
  cover(std::get<GroupsOfCharacters>(state_->kind).characters, group_class.kind, all.all(), out);
}

const AskedGroups& SampledChannel::asked_by(const GroupClass& group_class) const {
  const auto c = static_cast<std::size_t>(&class_of(group_class.first) - state_->classes.data());
  return std::get<GroupsOfCharacters>(state_->kind).of_class[c];
}

void SampledChannel::factors(std::uint64_t group, std::span<Factor> out) const {
  const GroupClass& group_class = class_of(group);
  unrank(asked_by(group_class), group - group_class.first, out);
}

void SampledChannel::pack(std::uint64_t group, std::uint32_t answer, std::span<std::uint8_t> payload) const {
  Uint128 number = (Uint128{group} << state_->answer_bits) | answer;
  for (std::uint8_t& byte : payload) {
    byte = static_cast<std::uint8_t>(number);
    number >>= 8U;
  }
}

Result<SampledChannel::Answer> SampledChannel::unpack(std::span<const std::uint8_t> payload) const {
  if (const std::optional<Answer> answer = try_unpack(payload)) return *answer;
  if (payload.size() != state_->payload_size) {
    return Error{ErrorCode::kReportWrongSize, "the payload has another size than the payloads of this task"};
  }
  return Error{ErrorCode::kReportOutOfBounds,
               "the payload names a group that does not exist, or an answer that the group does not have"};
}

std::optional<SampledChannel::Answer> SampledChannel::try_unpack(std::span<const std::uint8_t> payload) const {
  const State& state = *state_;
  if (payload.size() != state.payload_size) return std::nullopt;
  Uint128 number = 0;
  if (payload.size() <= sizeof(std::uint64_t)) {
    std::uint64_t low = 0;
    for (std::size_t i = payload.size(); i-- > 0;) low = (low << 8U) | payload[i];
    number = low;
  } else {
    for (std::size_t i = payload.size(); i-- > 0;) number = (number << 8U) | payload[i];
  }
  const Uint128 group = number >> state.answer_bits;
  if (group >= state.groups) return std::nullopt;
  const Answer answer{static_cast<std::uint64_t>(group),
                      static_cast<std::uint32_t>(number & ((1U << state.answer_bits) - 1))};
  if (!is_answer(answer.group, answer.answer)) return std::nullopt;
  return answer;
}

Result<void> SampledChannel::check(std::span<const std::uint8_t> payload) const {
  if (try_unpack(payload)) return {};
  return unpack(payload).error();
}

}  // namespace hearsay
