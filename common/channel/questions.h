// The public questions that a task asks about one attribute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/arrangement/character_index.h"
#include "common/privacy/coin.h"
#include "hearsay/mechanism.h"
#include "hearsay/result.h"

namespace hearsay {

// A question splits the values of an attribute into K parts. The true answer to the question is the number of the part
// that holds the value. Questions have numbers from 0 to count() - 1. The device draws a question by public weights,
// independently of the record.
//
// A *member* is a set of consecutive questions that are equally likely: one multiplier of a circle, one set of levels,
// all parities, or all hashes. The device draws a member by its weight.
class Questions {
 public:
  static constexpr std::uint32_t kMaxValueBits = 20;
  static constexpr std::uint32_t kMaxPlaces = 1U << 21U;  // the most places of a circle
  // The largest number of multipliers times places of a circle. Estimates hold a table of at most this size.
  static constexpr std::uint32_t kMaxTableSize = 1U << 25U;
  static constexpr std::uint32_t kMaxHashed = 8191;       // the most values to hash; the largest prime below 2^13
  static constexpr std::uint32_t kMaxCount = 1U << 31U;   // the most questions of one attribute
  static constexpr std::uint32_t kMaxWeight = 1U << 30U;  // the largest weight of a member
  static constexpr std::uint32_t kMaxMembers = 1U << 14U;

  struct Member {
    std::uint32_t first;  // the member's questions have the numbers [first, first + count)
    std::uint32_t count;
    std::uint32_t weight;  // the device draws the member with probability weight/total_weight()
  };

  // `values` is J, the number of values of the attribute, from 2 to 2^20. Errors: kInvalidArgument (the specification
  // does not fit this many values), kLimitExceeded (too many questions, members, places or hashed values).
  static Result<Questions> create(const QuestionSpec& spec, std::uint32_t values);

  const QuestionSpec& spec() const { return *spec_; }
  std::uint32_t values() const { return values_; }
  // Returns the number of bits of a value: ⌈log2 J⌉.
  std::uint32_t value_bits() const { return value_bits_; }
  // Returns K, the number of answers of a question: 2^width() unless the questions are hashes.
  std::uint32_t answers() const { return answers_; }
  // Returns the number of bits of an answer: ⌈log2 K⌉.
  std::uint32_t width() const { return width_; }
  std::uint32_t count() const { return count_; }
  std::span<const Member> members() const { return *members_; }
  std::uint64_t total_weight() const { return total_weight_; }
  const Member& member_of(std::uint32_t question) const;
  // Returns true if question q is the parity of the value's bits in the mask q + 1, and all masks are equally likely.
  bool are_parities() const { return are_parities_; }

  // Draws a question. Throws EntropyError.
  std::uint32_t draw(BitCoin& coin) const {
    return are_parities_ ? static_cast<std::uint32_t>(coin.uniform_below(count_)) : draw_by_weight(coin);
  }
  // Returns the number of the part that holds the value. Takes the same time, and reads the same addresses, for all
  // values.
  std::uint32_t answer(std::uint32_t question, std::uint32_t value) const {
    return are_parities_ ? parity((question + 1) & value) : other_answer(question, value);
  }

  // Returns N, the number of places of a circle or of a hash; 0 for parities and levels.
  std::uint32_t places() const { return places_; }
  // For a circle or a hash: the question's multiplier j and turn θ. The answer is ⌊K·((j·value + θ) mod N)/N⌋.
  struct Arc {
    std::uint32_t multiplier;
    std::uint32_t turn;
  };
  Arc arc(std::uint32_t question) const;
  // For parities and levels: bit i of the answer is the parity of the value's bits in masks[i]. `masks` has width()
  // elements.
  void masks(std::uint32_t question, std::span<std::uint32_t> masks) const;

 private:
  Questions(QuestionSpec spec, std::uint32_t values);
  Result<void> add_member(std::uint64_t count, std::uint32_t weight);
  Result<void> add_members(const ParityQuestions& parities);
  Result<void> add_members(const LevelQuestions& levels);
  Result<void> add_members(const CircleQuestions& circle);
  Result<void> add_members(const HashQuestions& hash);
  std::uint32_t draw_by_weight(BitCoin& coin) const;
  std::uint32_t other_answer(std::uint32_t question, std::uint32_t value) const;
  std::uint32_t arc_of(std::uint32_t question, std::uint32_t value) const;

  std::shared_ptr<const QuestionSpec> spec_;
  std::shared_ptr<std::vector<Member>> members_;
  // For each member: the sum of its weight and the weights before it.
  std::shared_ptr<std::vector<std::uint64_t>> weight_up_to_;
  std::uint64_t total_weight_ = 0;
  std::uint32_t values_ = 0;
  std::uint32_t value_bits_ = 0;
  std::uint32_t answers_ = 2;
  std::uint32_t width_ = 1;
  std::uint32_t places_ = 0;
  std::uint32_t count_ = 0;
  bool are_parities_ = false;
};

}  // namespace hearsay
