// Tests the channel `sampled` with questions that are not parities of one bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/channel/questions.h"
#include "tests/support/sampled_cases.h"

namespace hearsay {
namespace {

using tests::circle;
using tests::levels;
using tests::parities;
using tests::sampled_question_cases;
using tests::SampledCase;
using tests::SampledParts;

using Set = std::vector<std::uint32_t>;

std::vector<Factor> factors_of(const SampledChannel& channel, std::uint64_t group) {
  std::vector<Factor> factors(channel.class_of(group).size);
  channel.factors(group, factors);
  return factors;
}

Set attributes_of(const SampledChannel& channel, std::uint64_t group) {
  Set attributes;
  for (const Factor& factor : factors_of(channel, group)) attributes.push_back(factor.attribute);
  return attributes;
}

TEST_CASE("for every record a group's true value consists of the answers to its questions") {
  for (const SampledCase& c : sampled_question_cases()) {
    CAPTURE(c.name);
    const SampledParts parts = SampledParts::create(c, "1");
    const SampledChannel& channel = parts.sampled();
    CHECK_FALSE(channel.asks_parities());
    for (std::uint64_t group = 0; group < channel.groups(); ++group) {
      const auto& group_class = channel.class_of(group);
      const std::vector<Factor> factors = factors_of(channel, group);
      for (const Record& record : tests::all_records(parts.schema())) {
        std::vector<bool> bits;
        std::uint32_t product = 0;
        std::vector<std::uint32_t> answers;
        for (const auto& [attribute, number] : factors) {
          const Questions& questions = channel.questions(attribute);
          REQUIRE(number <= questions.count());
          answers.push_back(questions.answer(number - 1, record[attribute]));
          product ^= answers.back();
          for (std::uint32_t bit = 0; bit < questions.width(); ++bit) bits.push_back((answers.back() >> bit & 1U) != 0);
        }
        std::uint32_t expected = 0;
        if (group_class.kind == GroupKind::kSingle) expected = product;
        if (group_class.kind == GroupKind::kEven) {
          for (std::size_t i = 1; i < answers.size(); ++i) expected |= (answers[0] ^ answers[i]) << (i - 1);
        }
        if (group_class.kind == GroupKind::kRaw) {
          REQUIRE(bits.size() == group_class.width);
          for (std::size_t i = 0; i < bits.size(); ++i) expected |= (bits[i] ? 1U : 0U) << i;
        }
        REQUIRE(channel.true_value(group, record) == expected);
        REQUIRE((expected >> group_class.width) == 0);
      }
    }
  }
}

TEST_CASE("the groups of a class are those on its sets of attributes, question by question, each once") {
  for (const SampledCase& c : sampled_question_cases()) {
    CAPTURE(c.name);
    const SampledParts parts = SampledParts::create(c, "1");
    const SampledChannel& channel = parts.sampled();
    for (const auto& group_class : channel.classes()) {
      std::uint64_t next = group_class.first;
      while (next < group_class.first + group_class.count) {
        const Set attributes = attributes_of(channel, next);
        const CharacterIndex::Ranks ranks = channel.groups_on(group_class, attributes);
        REQUIRE(ranks.first == next);
        std::uint64_t count = 1;
        for (const std::uint32_t i : attributes) count *= channel.questions(i).count();
        REQUIRE(ranks.size == count);
        std::vector<std::uint32_t> numbers;
        for (std::uint64_t group = next; group < next + count; ++group) {
          REQUIRE(attributes_of(channel, group) == attributes);
          std::vector<std::uint32_t> now;
          for (const Factor& factor : factors_of(channel, group)) now.push_back(factor.mask);
          REQUIRE(numbers < now);
          numbers = now;
        }
        next += count;
      }
      CHECK(next == group_class.first + group_class.count);
    }
  }
}

bool contains(const Set& set, const Set& part) {
  return std::includes(set.begin(), set.end(), part.begin(), part.end());
}

// Returns true if an answer about `asked` gives the products of the answers about all attributes of `part`.
bool gives(GroupKind kind, const Set& asked, const Set& part) {
  if (part.empty() || !contains(asked, part)) return false;
  if (kind == GroupKind::kSingle) return part == asked;
  return kind == GroupKind::kRaw || part.size() % 2 == 0;
}

std::vector<Set> subsets(std::size_t attributes) {
  std::vector<Set> all;
  for (std::uint32_t chosen = 0; chosen < 1U << attributes; ++chosen) {
    Set& set = all.emplace_back();
    for (std::uint32_t i = 0; i < attributes; ++i) {
      if ((chosen >> i & 1U) != 0) set.push_back(i);
    }
  }
  return all;
}

bool alike(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

TEST_CASE("the questions about sets of attributes agree with the list of all groups") {
  for (const SampledCase& c : tests::all_sampled_cases()) {
    if (std::holds_alternative<LiteralsSpec>(c.arrangement)) continue;
    CAPTURE(c.name);
    const SampledParts parts = SampledParts::create(c, "2");
    const SampledChannel& channel = parts.sampled();
    struct Asked {
      const SampledChannel::GroupClass* of;
      Set attributes;
      double probability;
    };
    std::vector<Asked> all;
    for (std::uint64_t group = 0; group < channel.groups(); ++group) {
      const auto& group_class = channel.class_of(group);
      const double share = static_cast<double>(group_class.weight) / static_cast<double>(channel.total_weight());
      const double chance = tests::chance_within_class(parts.schema(), c.channel, channel, group);
      Set attributes = attributes_of(channel, group);
      if (!all.empty() && all.back().of == &group_class && all.back().attributes == attributes) {
        all.back().probability += share * chance;
      } else {
        all.push_back({&group_class, std::move(attributes), share * chance});
      }
    }
    const std::vector<Set> sets = subsets(parts.schema().size());
    for (const Set& set : sets) {
      double information = 0;
      for (const auto& [of, attributes, probability] : all) {
        const bool given = gives(of->kind, attributes, set);
        REQUIRE(given == (contains(attributes, set) && SampledChannel::covers_sets_of(*of, set.size())));
        if (given) information += std::pow(channel.gamma(*of), 2) * probability;
      }
      CHECK(alike(channel.set_information(set), information));
      CHECK(channel.asks(set) == (information > 0));
    }
    for (const auto& group_class : channel.classes()) {
      for (const Set& inside : sets) {
        for (const Set& outside : sets) {
          if (inside.empty() || std::any_of(inside.begin(), inside.end(), [&](std::uint32_t i) {
                return std::binary_search(outside.begin(), outside.end(), i);
              })) {
            continue;
          }
          double expected = 0;
          for (const Asked& asked : all) {
            const bool none = std::none_of(outside.begin(), outside.end(), [&](std::uint32_t i) {
              return std::binary_search(asked.attributes.begin(), asked.attributes.end(), i);
            });
            if (asked.of == &group_class && contains(asked.attributes, inside) && none) expected += asked.probability;
          }
          REQUIRE(alike(channel.asks_about(group_class, inside, outside), expected));
        }
      }
    }
  }
}

TEST_CASE("functions about coordinates cannot be called if the groups cover no coordinates") {
  const SampledParts parts = SampledParts::create(sampled_question_cases()[9], "1");
  const SampledChannel& channel = parts.sampled();
  const auto& group_class = channel.classes()[0];
  const Set one{0};
  std::vector<SampledChannel::Covered> covered;
  CHECK_THROWS_AS(channel.covered(0, covered), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(channel.coverage(group_class, one)), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(channel.probability(group_class, one, {})), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(channel.information(one)), std::logic_error);
  CHECK(channel.set_information(one) > 0);
}

TEST_CASE("the default can be written out") {
  SampledCase c{"", "b c3 r5", CharactersSpec{2}, tests::groups_of({{GroupKind::kRaw, 2, 1}})};
  const SampledParts plain = SampledParts::create(c, "1");
  c.channel.questions = {parities(1), parities(1), parities(1)};
  const SampledParts spelled = SampledParts::create(c, "1");
  CHECK(plain.sampled().asks_parities());
  CHECK(spelled.sampled().asks_parities());
  CHECK(plain.sampled().groups() == spelled.sampled().groups());
}

void check_refused(const std::vector<GroupWeight>& groups, const std::vector<QuestionSpec>& questions,
                   const std::string& shape, ErrorCode code, const std::string& part) {
  CAPTURE(part);
  const Arrangement arrangement = Arrangement::create(CharactersSpec{1}, tests::schema_of(shape)).value();
  const auto channel =
      SampledChannel::create({.groups = groups, .questions = questions}, arrangement, Epsilon::parse("1").value());
  REQUIRE_FALSE(channel);
  CAPTURE(channel.error().message);
  CHECK(error_name(channel.error().code) == error_name(code));
  CHECK(channel.error().message.find(part) != std::string::npos);
}

TEST_CASE("questions that do not fit the groups or the schema are refused") {
  constexpr auto kInvalid = ErrorCode::kInvalidArgument;
  constexpr auto kLimit = ErrorCode::kLimitExceeded;
  using enum GroupKind;
  const QuestionSpec plain;
  const QuestionSpec half = circle(5, 1, {1});
  const QuestionSpec quarter = circle(5, 2, {1});
  check_refused({{kSingle, 1, 1}}, {plain}, "b r5", kInvalid, "every attribute or for none");
  check_refused({{kSingle, 1, 1}}, {plain, half, plain}, "b r5", kInvalid, "every attribute or for none");
  check_refused({{kSingle, 1, 1}}, {plain, circle(4, 1, {1})}, "b r5", kInvalid, "attribute 1: a circle");
  check_refused({{kSingle, 1, 1}}, {plain, circle(3'000'000, 1, {1})}, "b r5", kLimit, "attribute 1: a circle");
  check_refused({{kSingle, 1, 1}}, {plain, quarter}, "b r5", kInvalid, "more than one bit");
  check_refused({{kEven, 3, 1}}, {plain, quarter, plain}, "b r5 b", kInvalid, "no coordinate");
  check_refused({{kRaw, 1, 1}}, {plain, half}, "b r5", kInvalid, "at least 2, or an answer of several bits");
  check_refused({{kRaw, 1, 1}}, {plain, quarter}, "b r5", kInvalid, "different numbers of answers");
  check_refused({{kRaw, 2, 1}}, {plain, quarter, plain}, "b r5 b", kInvalid, "different numbers of answers");
  check_refused({{kRaw, 2, 1}}, {parities(8), parities(9)}, "c1024 c1024", kLimit, "more than 16 bits");
  // Each attribute has 2^31 questions. Two attributes have 2^62 groups, so one more group is too many.
  const std::string large = "r1048576 r1048576";
  const QuestionSpec most = levels({{2, 4}});
  check_refused({{kRaw, 2, 1}, {kRaw, 1, 1}}, {most, most}, large, kLimit, "2^62");
  const Arrangement arrangement = Arrangement::create(CharactersSpec{1}, tests::schema_of(large)).value();
  const auto largest = SampledChannel::create({.groups = {{kRaw, 2, 1}}, .questions = {most, most}}, arrangement,
                                              Epsilon::parse("1").value());
  REQUIRE(largest);
  CHECK(largest->groups() == std::uint64_t{1} << 62U);
  CHECK(largest->payload_size() == 9);
}

// Attributes of one set may have answers of different widths. The answers stand in the order of the attributes.
TEST_CASE("wide answers stand one after the other") {
  const SampledCase c{
      "",
      "b r5 c5",
      CharactersSpec{1},
      {.groups = {{GroupKind::kRaw, 3, 1}}, .questions = {QuestionSpec(), circle(5, 2, {1}), parities(3)}}};
  const SampledParts parts = SampledParts::create(c, "1");
  const SampledChannel& channel = parts.sampled();
  REQUIRE(channel.classes()[0].width == 6);
  REQUIRE(channel.groups() == 5);
  // The question's turn is the number of the group. The answer about x = 3 is 4·((x + turn) mod 5)/5. The boolean's
  // bit is below this answer, and the bits of the categorical attribute are above.
  for (std::uint32_t turn = 0; turn < 5; ++turn) {
    const Record record = Record::create(parts.schema(), std::vector<std::uint32_t>{1, 3, 4}).value();
    CHECK(channel.true_value(turn, record) == (1U | (4 * ((3 + turn) % 5) / 5) << 1U | 4U << 3U));
  }
}

}  // namespace
}  // namespace hearsay
