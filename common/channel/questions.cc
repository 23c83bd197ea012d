#include "common/channel/questions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "common/base/try.h"
#include "common/channel/public_division.h"

namespace hearsay {
namespace {

constexpr std::uint32_t kMaxBits = 16;  // the most bits of an answer

// Irreducible polynomials over GF(2), by degree; bit i is the coefficient of x^i. From degree 2 on, each is the least
// number that is an irreducible polynomial of its degree.
constexpr std::array<std::uint32_t, Questions::kMaxValueBits + 1> kIrreducible{
    0,     0x3,    0x7,    0xB,    0x13,   0x25,    0x43,    0x83,    0x11B,   0x203,   0x409,
    0x805, 0x1009, 0x201B, 0x4021, 0x8003, 0x1002B, 0x20009, 0x40009, 0x80027, 0x100009};

Error misfit(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }
Error beyond(std::string message) { return {ErrorCode::kLimitExceeded, std::move(message)}; }

// Returns the number of free bits in a mask whose lowest bit is levels[i]. The bits above levels[i] are free, except
// the bits that are levels of the set.
std::uint32_t free_bits(std::span<const std::uint32_t> levels, std::size_t i, std::uint32_t value_bits) {
  const auto levels_above = static_cast<std::uint32_t>(levels.size() - i - 1);
  return value_bits - 1 - levels[i] - levels_above;
}

// Checks that the list ascends. `one` and `all` are the messages' words for one element and for
// all elements: "a multiplier", "multipliers".
template <class T>
Result<void> check_ascends(const std::vector<T>& list, const std::string& one, const std::string& all) {
  const auto first = std::adjacent_find(list.begin(), list.end(), std::greater_equal<>());
  if (first == list.end()) return {};
  if (*first == *(first + 1)) return misfit(one + " is given twice: give each only once");
  return misfit(all + " must be in ascending order");
}

bool is_prime(std::uint32_t n) {
  for (std::uint32_t divisor = 2; divisor * divisor <= n; ++divisor) {
    if (n % divisor == 0) return false;
  }
  return n > 1;
}

std::uint32_t least_prime_from(std::uint32_t n) {
  while (!is_prime(n)) ++n;
  return n;
}

Result<void> check_weights(std::span<const std::uint32_t> weights, std::size_t members, const char* what) {
  if (members == 0) return misfit(std::string("at least one of the ") + what + " must be given");
  if (members > Questions::kMaxMembers) {
    return beyond("at most " + std::to_string(Questions::kMaxMembers) + " " + what + " may be given");
  }
  if (weights.size() != members) return misfit(std::string("there must be as many weights as ") + what);
  const auto is_weight = [](std::uint32_t weight) { return weight >= 1 && weight <= Questions::kMaxWeight; };
  if (!std::all_of(weights.begin(), weights.end(), is_weight)) {
    return misfit("weights must be from 1 to " + std::to_string(Questions::kMaxWeight));
  }
  return {};
}

}  // namespace

Questions::Questions(QuestionSpec spec, std::uint32_t values)
    : spec_(std::make_shared<const QuestionSpec>(std::move(spec))),
      members_(std::make_shared<std::vector<Member>>()),
      weight_up_to_(std::make_shared<std::vector<std::uint64_t>>()),
      values_(values),
      value_bits_(static_cast<std::uint32_t>(std::bit_width(values - 1))) {}

Result<Questions> Questions::create(const QuestionSpec& spec, std::uint32_t values) {
  if (values < 2 || values > 1U << kMaxValueBits) return misfit("an attribute must have from 2 to 2^20 values");
  Questions questions(spec, values);
  HEARSAY_CHECK_OK(std::visit([&](const auto& kind) { return questions.add_members(kind); }, spec));
  if (!std::holds_alternative<HashQuestions>(spec)) questions.answers_ = 1U << questions.width_;
  return questions;
}

Result<void> Questions::add_member(std::uint64_t count, std::uint32_t weight) {
  if (count > kMaxCount - count_) return beyond("an attribute has more than 2^31 questions");
  members_->push_back({count_, static_cast<std::uint32_t>(count), weight});
  count_ += static_cast<std::uint32_t>(count);
  total_weight_ += weight;
  weight_up_to_->push_back(total_weight_);
  return {};
}

Result<void> Questions::add_members(const ParityQuestions& parities) {
  if (parities.bits < 1 || parities.bits > std::min(value_bits_, kMaxBits)) {
    return misfit("parities must have from 1 to " + std::to_string(std::min(value_bits_, kMaxBits)) + " bits");
  }
  width_ = parities.bits;
  are_parities_ = width_ == 1;
  // If an answer has as many bits as a value, every question tells the value, so one question is enough.
  const bool is_value = width_ == value_bits_ && width_ > 1;
  return add_member(is_value ? 1 : (1U << value_bits_) - 1, 1);
}

Result<void> Questions::add_members(const LevelQuestions& levels) {
  HEARSAY_CHECK_OK(check_weights(levels.weights, levels.levels.size(), "sets of levels"));
  width_ = static_cast<std::uint32_t>(levels.levels.front().size());
  if (width_ < 1 || width_ > kMaxBits) return misfit("a set of levels must have from 1 to 16 levels");
  HEARSAY_CHECK_OK(check_ascends(levels.levels, "a set of levels", "sets of levels"));
  for (std::size_t i = 0; i < levels.levels.size(); ++i) {
    const std::vector<std::uint32_t>& set = levels.levels[i];
    if (set.size() != width_) return misfit("all sets of levels must have the same size");
    HEARSAY_CHECK_OK(check_ascends(set, "a level of a set", "the levels of a set"));
    if (set.back() >= value_bits_) return misfit("levels must be from 0 to " + std::to_string(value_bits_ - 1));
    std::uint32_t free = 0;
    for (std::size_t l = 0; l < set.size(); ++l) free += free_bits(set, l, value_bits_);
    if (free > 31) return beyond("a set of levels has more than 2^31 questions");
    HEARSAY_CHECK_OK(add_member(std::uint64_t{1} << free, levels.weights[i]));
  }
  return {};
}

Result<void> Questions::add_members(const CircleQuestions& circle) {
  if (circle.places > kMaxPlaces) return beyond("a circle has at most " + std::to_string(kMaxPlaces) + " places");
  if (circle.places < values_) return misfit("a circle must have at least as many places as the attribute has values");
  if (circle.bits < 1 || circle.bits > kMaxBits || 1U << circle.bits > circle.places) {
    return misfit("a circle must be cut into 2, 4, 8 or more arcs, each of at least one place");
  }
  HEARSAY_CHECK_OK(check_weights(circle.weights, circle.multipliers.size(), "multipliers"));
  if (circle.multipliers.size() > kMaxTableSize / circle.places) {
    return beyond("a circle of " + std::to_string(circle.places) + " places has at most " +
                  std::to_string(kMaxTableSize / circle.places) + " multipliers");
  }
  HEARSAY_CHECK_OK(check_ascends(circle.multipliers, "a multiplier", "multipliers"));
  if (circle.multipliers.front() < 1 || circle.multipliers.back() > circle.places / 2) {
    return misfit("multipliers must be from 1 to " + std::to_string(circle.places / 2));
  }
  width_ = circle.bits;
  places_ = circle.places;
  // If all arcs are equally long, a turn by a whole arc only renumbers the arcs. Then turns shorter than an arc
  // suffice.
  const std::uint32_t arcs = 1U << width_;
  const std::uint32_t turns = circle.places % arcs == 0 ? circle.places / arcs : circle.places;
  for (const std::uint32_t weight : circle.weights) HEARSAY_CHECK_OK(add_member(turns, weight));
  return {};
}

// N is prime, so j·x + θ brings any two values to all pairs of different places equally often.
Result<void> Questions::add_members(const HashQuestions& hash) {
  if (values_ > kMaxHashed) return beyond("at most " + std::to_string(kMaxHashed) + " values can be hashed");
  if (hash.answers < 2 || hash.answers > values_) {
    return misfit("a hash must have from 2 to " + std::to_string(values_) + " answers, at most one for each value");
  }
  answers_ = hash.answers;
  width_ = static_cast<std::uint32_t>(std::bit_width(answers_ - 1));
  const bool is_value = answers_ == values_;
  places_ = is_value ? values_ : least_prime_from(values_);
  // The multiplier -j asks the same question as j, in the opposite direction.
  return add_member(is_value ? 1 : places_ * ((places_ - 1) / 2), 1);
}

const Questions::Member& Questions::member_of(std::uint32_t question) const {
  const auto after = std::upper_bound(members_->begin(), members_->end(), question,
                                      [](std::uint32_t number, const Member& member) { return number < member.first; });
  return *(after - 1);
}

std::uint32_t Questions::draw_by_weight(BitCoin& coin) const {
  const std::uint64_t at = coin.uniform_below(total_weight_);
  const auto m = static_cast<std::size_t>(std::upper_bound(weight_up_to_->begin(), weight_up_to_->end(), at) -
                                          weight_up_to_->begin());
  const Member& member = (*members_)[m];
  return member.first + static_cast<std::uint32_t>(coin.uniform_below(member.count));
}

Questions::Arc Questions::arc(std::uint32_t question) const {
  if (std::holds_alternative<HashQuestions>(*spec_)) return {question / places_ + 1, question % places_};
  const Member& member = member_of(question);
  const auto m = static_cast<std::size_t>(&member - members_->data());
  return {std::get<CircleQuestions>(*spec_).multipliers[m], question - member.first};
}

std::uint32_t Questions::arc_of(std::uint32_t question, std::uint32_t value) const {
  const auto [multiplier, turn] = arc(question);
  const std::uint32_t place = divide_by_public(std::uint64_t{multiplier} * value + turn, places_).remainder;
  return static_cast<std::uint32_t>(divide_by_public(std::uint64_t{place} * answers_, places_).quotient);
}

// For parities: bit t of the answer is bit t of a·value in the field of 2^b elements, a = question + 1. The parity of
// any non-empty set of bits of the answer is the parity of the value's bits in some mask. When a runs from 1 to 2^b -
// 1, this mask also takes every value from 1 to 2^b - 1 once.
void Questions::masks(std::uint32_t question, std::span<std::uint32_t> masks) const {
  std::fill(masks.begin(), masks.end(), 0U);
  if (const auto* levels = std::get_if<LevelQuestions>(&*spec_)) {
    const Member& member = member_of(question);
    const std::vector<std::uint32_t>& set = levels->levels[static_cast<std::size_t>(&member - members_->data())];
    std::uint32_t rest = question - member.first;
    for (std::size_t i = 0; i < set.size(); ++i) {
      masks[i] = 1U << set[i];
      for (std::uint32_t bit = set[i] + 1; bit < value_bits_; ++bit) {
        if (std::find(set.begin(), set.end(), bit) != set.end()) continue;
        masks[i] |= (rest & 1U) << bit;
        rest >>= 1U;
      }
    }
    return;
  }
  if (are_parities_) {
    masks.front() = question + 1;
  } else if (width_ == value_bits_) {
    for (std::uint32_t bit = 0; bit < width_; ++bit) masks[bit] = 1U << bit;
  } else {
    std::uint32_t product = question + 1;
    for (std::uint32_t i = 0; i < value_bits_; ++i) {
      for (std::uint32_t bit = 0; bit < width_; ++bit) masks[bit] |= ((product >> bit) & 1U) << i;
      product <<= 1U;
      if ((product >> value_bits_) != 0) product ^= kIrreducible[value_bits_];
    }
  }
}

std::uint32_t Questions::other_answer(std::uint32_t question, std::uint32_t value) const {
  if (places_ != 0) return arc_of(question, value);
  std::array<std::uint32_t, kMaxBits> storage{};
  const auto of_question = std::span(storage).first(width_);
  masks(question, of_question);
  std::uint32_t answer = 0;
  for (std::uint32_t bit = 0; bit < width_; ++bit) answer |= parity(of_question[bit] & value) << bit;
  return answer;
}

}  // namespace hearsay
