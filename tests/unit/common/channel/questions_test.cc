#include "common/channel/questions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "common/privacy/coin.h"
#include "tests/support/bit_sources.h"
#include "tests/support/questions.h"

namespace hearsay {
namespace {

using tests::circle;
using tests::hash;
using tests::levels;
using tests::parities;

Questions questions_of(const QuestionSpec& spec, std::uint32_t values) {
  return Questions::create(spec, values).value();
}

std::uint32_t bits_for(std::uint32_t values) {
  std::uint32_t bits = 0;
  while ((1U << bits) < values) ++bits;
  return bits;
}

void check_members(const Questions& questions, const std::vector<std::uint32_t>& counts,
                   const std::vector<std::uint32_t>& weights) {
  REQUIRE(questions.members().size() == counts.size());
  std::uint32_t next = 0;
  for (std::size_t m = 0; m < counts.size(); ++m) {
    const Questions::Member& member = questions.members()[m];
    CHECK(member.first == next);
    CHECK(member.count == counts[m]);
    CHECK(member.weight == weights[m]);
    CHECK(&questions.member_of(next) == &member);
    next += counts[m];
    CHECK(&questions.member_of(next - 1) == &member);
  }
  CHECK(questions.count() == next);
  CHECK(questions.total_weight() == std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
}

struct Circle {
  std::uint32_t values;
  std::uint32_t places;
  std::uint32_t bits;
};

// Returns circles of J values, N places and 2^bits arcs, for every possible number of bits. N is J, 2J, 2(J-1) or 2J+3.
std::vector<Circle> circles() {
  std::vector<Circle> all;
  for (const std::uint32_t j : {2U, 3U, 5U, 8U, 11U}) {
    for (const std::uint32_t n : {j, 2 * j, 2 * (j - 1), 2 * j + 3}) {
      for (std::uint32_t bits = 1; n >= j && 1U << bits <= n; ++bits) all.push_back({j, n, bits});
    }
  }
  return all;
}

TEST_CASE("circles: the answers are those of format.md") {
  for (const Circle& c : circles()) {
    const std::uint32_t values = c.values;
    const std::uint32_t places = c.places;
    const std::uint32_t bits = c.bits;
    CAPTURE(values);
    CAPTURE(places);
    CAPTURE(bits);
    std::vector<std::uint32_t> multipliers(places / 2);
    std::iota(multipliers.begin(), multipliers.end(), 1U);
    std::vector<std::uint32_t> weights;
    for (const std::uint32_t multiplier : multipliers) weights.push_back(multiplier * 7 % 5 + 1);
    const Questions questions = questions_of(circle(places, bits, multipliers, weights), values);
    const std::uint32_t arcs = 1U << bits;
    const std::uint32_t turns = places % arcs == 0 ? places / arcs : places;
    CHECK(questions.width() == bits);
    CHECK(questions.values() == values);
    CHECK(questions.value_bits() == bits_for(values));
    CHECK_FALSE(questions.are_parities());
    check_members(questions, std::vector<std::uint32_t>(multipliers.size(), turns), weights);
    std::uint32_t question = 0;
    for (const std::uint32_t multiplier : multipliers) {
      for (std::uint32_t turn = 0; turn < turns; ++turn, ++question) {
        REQUIRE(questions.arc(question).multiplier == multiplier);
        REQUIRE(questions.arc(question).turn == turn);
        for (std::uint32_t x = 0; x < values; ++x) {
          REQUIRE(questions.answer(question, x) == arcs * ((multiplier * x + turn) % places) / places);
        }
      }
    }
  }
}

TEST_CASE("circles: the answers are right for the most places, the largest multiplier and the most arcs") {
  for (const std::uint32_t places : {Questions::kMaxPlaces, Questions::kMaxPlaces - 1, 8192U, 4099U}) {
    const std::uint32_t values = std::min(places, 1U << Questions::kMaxValueBits);
    const std::uint32_t step = std::max(7U, values / 1000);
    for (const std::uint32_t bits : {1U, 12U, 13U, 16U}) {
      if (1U << bits > places) continue;
      CAPTURE(places);
      CAPTURE(bits);
      const std::uint32_t multiplier = places / 2;
      const Questions questions = questions_of(circle(places, bits, {1, multiplier}), values);
      const std::uint32_t last = questions.count() - 1;
      for (const std::uint32_t question : {questions.members()[1].first, last / 2, last - 1, last}) {
        const auto [j, turn] = questions.arc(question);
        for (std::uint32_t x = 0; x < values; x += x + 2 * step < values ? step : 1) {
          const std::uint64_t place = (std::uint64_t{j} * x + turn) % places;
          REQUIRE(questions.answer(question, x) == (place << bits) / places);
        }
      }
    }
  }
}

TEST_CASE("parities of one bit: the question is the mask") {
  for (const std::uint32_t values : {2U, 3U, 4U, 5U, 9U, 16U, 33U}) {
    const Questions questions = questions_of(QuestionSpec(), values);
    const std::uint32_t masks = (1U << bits_for(values)) - 1;
    CHECK(questions.are_parities());
    CHECK(questions.width() == 1);
    check_members(questions, {masks}, {1});
    for (std::uint32_t question = 0; question < masks; ++question) {
      std::uint32_t mask = 0;
      questions.masks(question, {&mask, 1});
      REQUIRE(mask == question + 1);
      for (std::uint32_t x = 0; x < values; ++x) {
        REQUIRE(questions.answer(question, x) == static_cast<std::uint32_t>(std::popcount(mask & x)) % 2);
      }
    }
  }
}

TEST_CASE("parities of all bits: the only question asks for the value") {
  for (const std::uint32_t values : {3U, 4U, 5U, 16U, 21U, 1U << 16U}) {
    const Questions questions = questions_of(parities(bits_for(values)), values);
    check_members(questions, {1}, {1});
    for (std::uint32_t x = 0; x < values; x += values / 16 + 1) CHECK(questions.answer(0, x) == x);
  }
}

TEST_CASE("levels: the masks are those of format.md, each once") {
  const std::vector<std::vector<std::uint32_t>> pairs = {{0, 1}, {0, 3}, {1, 2}, {2, 3}};
  const Questions questions = questions_of(levels(pairs, {5, 1, 2, 9}), 13);
  CHECK(questions.width() == 2);
  CHECK_FALSE(questions.are_parities());
  // The masks have 4 bits, and the two masks of each set together have 4, 2, 2 and 0 free bits.
  check_members(questions, {16, 4, 4, 1}, {5, 1, 2, 9});
  for (std::size_t s = 0; s < pairs.size(); ++s) {
    const Questions::Member& member = questions.members()[s];
    std::set<std::vector<std::uint32_t>> seen;
    for (std::uint32_t question = member.first; question < member.first + member.count; ++question) {
      std::vector<std::uint32_t> masks(2);
      questions.masks(question, masks);
      REQUIRE(seen.insert(masks).second);
      for (std::size_t i = 0; i < 2; ++i) {
        REQUIRE(static_cast<std::uint32_t>(std::countr_zero(masks[i])) == pairs[s][i]);
        REQUIRE((masks[i] >> 4U) == 0);
        // A mask holds no bit of another level of its set.
        REQUIRE((masks[i] >> pairs[s][1 - i] & 1U) == 0);
      }
      for (std::uint32_t x = 0; x < 13; ++x) {
        const auto bit = [&](std::size_t i) { return static_cast<std::uint32_t>(std::popcount(masks[i] & x)) % 2; };
        REQUIRE(questions.answer(question, x) == (bit(0) | bit(1) << 1U));
      }
    }
  }
}

// The bits of a question's number are the free bits of the masks, as format.md says.
TEST_CASE("levels: the question's number gives the masks") {
  const Questions questions = questions_of(levels({{0, 2}, {1, 2}}), 32);
  std::vector<std::uint32_t> masks(2);
  // Bits 1, 3 and 4 are free for level 0, and bits 3 and 4 for level 2.
  questions.masks(0b10'010, masks);
  CHECK(masks == std::vector<std::uint32_t>{0b01001, 0b10100});
  questions.masks(0b01'101, masks);
  CHECK(masks == std::vector<std::uint32_t>{0b10011, 0b01100});
  // In the second set bits 3 and 4 are free for each level.
  questions.masks(32 + 0b01'10, masks);
  CHECK(masks == std::vector<std::uint32_t>{0b10010, 0b01100});
}

TEST_CASE("levels: single levels together are the parities of one bit") {
  const Questions questions = questions_of(levels({{0}, {1}, {2}, {3}}, {8, 4, 2, 1}), 16);
  CHECK(questions.count() == 15);
  std::set<std::uint32_t> seen;
  for (std::uint32_t question = 0; question < questions.count(); ++question) {
    std::uint32_t mask = 0;
    questions.masks(question, {&mask, 1});
    CHECK(seen.insert(mask).second);
    const Questions::Member& member = questions.member_of(question);
    CHECK(member.weight == member.count);
  }
  CHECK(*seen.begin() == 1);
  CHECK(*seen.rbegin() == 15);
}

void check_refused(const QuestionSpec& spec, std::uint32_t values, ErrorCode code, const std::string& part) {
  CAPTURE(part);
  const auto questions = Questions::create(spec, values);
  REQUIRE_FALSE(questions);
  CAPTURE(questions.error().message);
  CHECK(error_name(questions.error().code) == error_name(code));
  CHECK(questions.error().message.find(part) != std::string::npos);
}

TEST_CASE("specifications that do not fit the values are refused") {
  constexpr auto kInvalid = ErrorCode::kInvalidArgument;
  constexpr auto kLimit = ErrorCode::kLimitExceeded;
  check_refused(parities(1), 1, kInvalid, "from 2 to 2^20");
  check_refused(parities(1), (1U << 20U) + 1, kInvalid, "from 2 to 2^20");
  check_refused(parities(0), 8, kInvalid, "from 1 to 3 bits");
  check_refused(parities(4), 8, kInvalid, "from 1 to 3 bits");
  check_refused(parities(17), 1U << 20U, kInvalid, "from 1 to 16 bits");

  check_refused(circle(7, 1, {1}), 8, kInvalid, "as many places");
  check_refused(circle(0, 1, {1}), 8, kInvalid, "as many places");
  check_refused(circle(Questions::kMaxPlaces + 1, 1, {1}), 8, kLimit, "at most 2097152 places");
  std::vector<std::uint32_t> up_to_17(17);
  std::iota(up_to_17.begin(), up_to_17.end(), 1U);
  check_refused(circle(Questions::kMaxPlaces, 1, up_to_17), 1U << 20U, kLimit, "at most 16 multipliers");
  check_refused(circle(8, 0, {1}), 8, kInvalid, "arcs");
  check_refused(circle(15, 4, {1}), 8, kInvalid, "arcs");
  check_refused(circle(15, 64, {1}), 8, kInvalid, "arcs");
  check_refused(circle(8, 1, {}), 8, kInvalid, "multipliers must be given");
  check_refused(circle(8, 1, {0, 1}), 8, kInvalid, "from 1 to 4");
  check_refused(circle(8, 1, {1, 5}), 8, kInvalid, "from 1 to 4");
  check_refused(circle(8, 1, {2, 1}), 8, kInvalid, "ascending");
  check_refused(circle(8, 1, {1, 1}), 8, kInvalid, "a multiplier is given twice");
  check_refused(circle(8, 1, {1, 2}, {1}), 8, kInvalid, "as many weights");
  check_refused(circle(8, 1, {1, 2}, {1, 0}), 8, kInvalid, "weights must be from 1");
  check_refused(circle(8, 1, {1, 2}, {1, Questions::kMaxWeight + 1}), 8, kInvalid, "weights must be from 1");

  check_refused(levels({}), 8, kInvalid, "sets of levels must be given");
  check_refused(levels({{}}), 8, kInvalid, "from 1 to 16 levels");
  check_refused(levels({{0}, {}}), 8, kInvalid, "ascending order");
  check_refused(levels({{0}, {0, 1}}), 8, kInvalid, "the same size");
  check_refused(levels({{1}, {0}}), 8, kInvalid, "sets of levels must be in ascending order");
  check_refused(levels({{0}, {0}}), 8, kInvalid, "a set of levels is given twice");
  check_refused(levels({{1, 0}}), 8, kInvalid, "the levels of a set must be in ascending order");
  check_refused(levels({{1, 1}}), 8, kInvalid, "a level of a set is given twice");
  check_refused(levels({{0, 3}}), 8, kInvalid, "levels must be from 0 to 2");
  check_refused(levels({{0}}, {0}), 8, kInvalid, "weights must be from 1");
  std::vector<std::uint32_t> seventeen(17);
  std::iota(seventeen.begin(), seventeen.end(), 0U);
  check_refused(levels({seventeen}), 1U << 20U, kInvalid, "from 1 to 16 levels");
  // The levels 0 and 1 have 18 free bits each, so there are 2^36 questions.
  check_refused(levels({{0, 1}}), 1U << 20U, kLimit, "2^31 questions");
  // The sets have 2^31 and 2^30 questions.
  check_refused(levels({{2, 4}, {3, 4}}), 1U << 20U, kLimit, "2^31 questions");
  std::vector<std::vector<std::uint32_t>> many;
  for (std::uint32_t set = 0; many.size() <= Questions::kMaxMembers; ++set) many.push_back({set});
  check_refused(levels(many), 1U << 20U, kLimit, "at most 16384 sets");
}

TEST_CASE("the largest allowed specifications are accepted") {
  // The levels 2 and 4 have 16 and 15 free bits, together 31.
  const Questions most = questions_of(levels({{2, 4}}), 1U << 20U);
  CHECK(most.count() == 1U << 31U);
  CHECK(most.member_of(most.count() - 1).count == 1U << 31U);
  std::vector<std::uint32_t> masks(2);
  most.masks(most.count() - 1, masks);
  CHECK(masks == std::vector<std::uint32_t>{(1U << 20U) - 4 - 16, (1U << 20U) - 16});
  CHECK(questions_of(circle(8192, 13, {4096}, {Questions::kMaxWeight}), 8192).count() == 1);
  CHECK(questions_of(parities(16), 1U << 20U).count() == (1U << 20U) - 1);
  std::vector<std::uint32_t> all(4096);
  std::iota(all.begin(), all.end(), 1U);
  const Questions every =
      questions_of(circle(8192, 1, all, std::vector<std::uint32_t>(4096, Questions::kMaxWeight)), 4096);
  CHECK(every.count() == 4096 * 4096);
  CHECK(every.total_weight() == std::uint64_t{4096} << 30U);
}

// Every pair of values is in one part equally often. The sizes of the parts differ by at most one place.
TEST_CASE("a hash puts all pairs of values into one part equally often") {
  for (std::uint32_t values = 2; values <= 24; ++values) {
    for (std::uint32_t answers = 2; answers <= values; ++answers) {
      CAPTURE(values);
      CAPTURE(answers);
      const Questions questions = questions_of(hash(answers), values);
      REQUIRE(questions.answers() == answers);
      REQUIRE(questions.width() == bits_for(answers));
      if (answers == values) {
        REQUIRE(questions.count() == 1);
        for (std::uint32_t value = 0; value < values; ++value) REQUIRE(questions.answer(0, value) == value);
        continue;
      }
      const std::uint32_t n = questions.places();
      REQUIRE(n >= values);
      for (std::uint32_t d = 2; d < n; ++d) REQUIRE(n % d != 0);
      for (std::uint32_t fewer = values; fewer < n; ++fewer) {
        std::uint32_t divisor = 2;
        while (fewer % divisor != 0) ++divisor;
        REQUIRE(divisor < fewer);
      }
      REQUIRE(questions.count() == n * (n - 1) / 2);
      // together[x] counts the questions that put x into one part with 0. neighbours[x] counts those that put x and x -
      // 1 into one part.
      std::vector<std::uint32_t> together(values, 0);
      std::vector<std::uint32_t> neighbours(values, 0);
      for (std::uint32_t q = 0; q < questions.count(); ++q) {
        const auto [multiplier, turn] = questions.arc(q);
        for (std::uint32_t x = 0; x < values; ++x) {
          const std::uint32_t answer = questions.answer(q, x);
          REQUIRE(answer == answers * ((multiplier * x + turn) % n) / n);
          together[x] += answer == questions.answer(q, 0) ? 1 : 0;
          neighbours[x] += x > 0 && answer == questions.answer(q, x - 1) ? 1 : 0;
        }
      }
      std::uint32_t pairs = 0;
      for (std::uint32_t k = 0; k < answers; ++k) {
        const std::uint32_t length = ((k + 1) * n + answers - 1) / answers - (k * n + answers - 1) / answers;
        REQUIRE(length >= n / answers);
        REQUIRE(length <= n / answers + 1);
        pairs += length * (length - 1) / 2;
      }
      for (std::uint32_t x = 1; x < values; ++x) {
        REQUIRE(together[x] == pairs);
        REQUIRE(neighbours[x] == pairs);
      }
    }
  }
  const Questions largest = questions_of(hash(8190), Questions::kMaxHashed);
  CHECK(largest.places() == 8191);
  CHECK(largest.answer(largest.count() - 1, 8190) == (std::uint64_t{8190} * ((4095 * 8190 + 8190) % 8191)) / 8191);
  check_refused(hash(1), 5, ErrorCode::kInvalidArgument, "from 2 to 5 answers");
  check_refused(hash(6), 5, ErrorCode::kInvalidArgument, "from 2 to 5 answers");
  check_refused(hash(2), Questions::kMaxHashed + 1, ErrorCode::kLimitExceeded, "at most 8191 values can be hashed");
}

// A draw chooses the member by its weight, then one of the member's questions. The test tries all sequences of bytes
// that a draw reads.
TEST_CASE("draws follow the weights, exactly") {
  struct Case {
    QuestionSpec spec;
    std::uint32_t values;
  };
  // Total weights and counts are below 256, so each takes one byte.
  for (const auto& [spec, values] :
       {Case{levels({{0, 1}, {0, 3}, {1, 2}, {2, 3}}, {5, 1, 2, 9}), 13}, Case{circle(10, 1, {1, 3, 4}, {7, 1, 3}), 5},
        Case{circle(7, 2, {2, 3}, {1, 2}), 6}, Case{parities(2), 16}, Case{hash(3), 8}}) {
    const Questions questions = questions_of(spec, values);
    const std::uint64_t total = questions.total_weight();
    std::vector<double> chance(questions.count(), 0);
    for (std::uint32_t at = 0; at < total; ++at) {
      for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::vector<std::uint8_t> script = {static_cast<std::uint8_t>(byte)};
        if (total > 1) script.insert(script.begin(), static_cast<std::uint8_t>(at));
        tests::ScriptedBitSource source(script);
        BitCoin coin(source);
        try {
          const std::uint32_t question = questions.draw(coin);
          REQUIRE(question < questions.count());
          const std::uint64_t of_member = questions.member_of(question).count;
          const std::uint64_t accepted = 256 / std::bit_ceil(of_member) * of_member;
          chance[question] += 1 / (static_cast<double>(total) * static_cast<double>(accepted));
        } catch (const EntropyError&) {
          // The draw rejects this byte and asks for another.
        }
      }
    }
    for (std::uint32_t question = 0; question < questions.count(); ++question) {
      const Questions::Member& member = questions.member_of(question);
      const double stated =
          static_cast<double>(member.weight) / static_cast<double>(questions.total_weight()) / member.count;
      CHECK(chance[question] == doctest::Approx(stated).epsilon(1e-12));
    }
  }
}

}  // namespace
}  // namespace hearsay
