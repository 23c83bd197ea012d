#include "aggregator/tally/sampled_tally.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "aggregator/tally/tally.h"
#include "common/channel/channel.h"
#include "tests/support/bit_sources.h"

namespace hearsay::tally {
namespace {

using Answer = std::pair<std::uint64_t, std::uint32_t>;
constexpr std::uint64_t kLastGroup = SampledTally::kGroupLimit - 1;
constexpr std::uint32_t kLastAnswer = SampledTally::kAnswerLimit - 1;

// Returns `count` answers. Many answers repeat a few pairs.
std::vector<Answer> some_answers(std::size_t count) {
  tests::CounterBitSource bits("sampled tally");
  std::vector<Answer> answers = {{kLastGroup, kLastAnswer}, {kLastGroup, 0}, {0, kLastAnswer}, {0, 0}};
  while (answers.size() < count) {
    const auto width = static_cast<unsigned>(bits.bits(6)) % 63;
    answers.emplace_back(bits.bits(width), static_cast<std::uint32_t>(bits.bits(width % 17)));
  }
  return answers;
}

SampledTally histogram_of(const std::vector<Answer>& answers) {
  SampledTally tally;
  for (const auto& [group, answer] : answers) tally.add(group, answer);
  return tally;
}

std::vector<SampledTally::Entry> counted(const std::vector<Answer>& answers) {
  std::map<Answer, std::uint64_t> counts;
  for (const Answer& answer : answers) ++counts[answer];
  std::vector<SampledTally::Entry> entries;
  for (const auto& [answer, count] : counts) entries.push_back({answer.first, answer.second, count});
  return entries;
}

TEST_CASE("a tally counts every answer of every group") {
  for (const std::size_t count : {4U, 255U, 256U, 257U, 5000U}) {
    const auto answers = some_answers(count);
    const SampledTally tally = histogram_of(answers);
    CHECK(tally.reports() == count);
    CHECK(tally.entries() == counted(answers));
  }
  CHECK(SampledTally().entries().empty());
  CHECK(SampledTally().reports() == 0);
}

TEST_CASE("a tally does not depend on the order and the grouping of reports") {
  auto answers = some_answers(3000);
  const SampledTally expected = histogram_of(answers);
  std::rotate(answers.begin(), answers.begin() + 1037, answers.end());
  std::reverse(answers.begin(), answers.begin() + 1500);
  const SampledTally turned = histogram_of(answers);
  CHECK(turned == expected);
  CHECK(turned.encode() == expected.encode());
  for (const std::ptrdiff_t split : {0, 1, 300, 2999}) {
    SampledTally first = histogram_of({answers.begin(), answers.begin() + split});
    SampledTally second = histogram_of({answers.begin() + split, answers.end()});
    REQUIRE(first.merge(second));
    CHECK(first == expected);
    CHECK(first.reports() == 3000);
    SampledTally doubled = second;
    REQUIRE(doubled.merge(doubled));
    CHECK(doubled.reports() == 2 * second.reports());
    auto entries = second.entries();
    for (auto& entry : entries) entry.count *= 2;
    CHECK(doubled.entries() == entries);
    first.add(5, 1);
    CHECK_FALSE(first == expected);
  }
}

TEST_CASE("many small tallies add up to the tally of all reports") {
  const auto answers = some_answers(4000);
  SampledTally sum;
  for (std::size_t first = 0; first < answers.size(); first += 8) {
    const auto begin = answers.begin() + static_cast<std::ptrdiff_t>(first);
    REQUIRE(sum.merge(histogram_of({begin, begin + 8})));
  }
  CHECK(sum == histogram_of(answers));
  CHECK(sum.entries() == counted(answers));
}

TEST_CASE("a tally has at most 2^32 reports") {
  SampledTally tally;
  tally.add(7, 1);
  for (int i = 0; i < 32; ++i) {
    const SampledTally half = tally;
    REQUIRE(tally.merge(half));
  }
  CHECK(tally.reports() == SampledTally::kMaxReports);
  CHECK(tally.entries() == std::vector<SampledTally::Entry>{{7, 1, SampledTally::kMaxReports}});
  const SampledTally full = tally;
  SampledTally one;
  one.add(8, 0);
  const auto refused = tally.merge(one);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kOverflow);
  CHECK(tally == full);
  const auto decoded = SampledTally::decode(tally.encode());
  REQUIRE(decoded);
  CHECK(*decoded == tally);
}

TEST_CASE("the encoding has the documented format, byte by byte") {
  SampledTally tally;
  for (int i = 0; i < 130; ++i) tally.add(3, 2);
  tally.add(3, 5);
  tally.add(300, 0);
  const std::string expected = std::string("\x02\x03", 2) + std::string("\x03\x02\x82\x01", 4) +  // 130 = 2 + 1·128
                               std::string("\x00\x02\x01", 3) +                                   // 5 - (2 + 1)
                               std::string("\xa9\x02\x00\x01", 4);                                // 297 = 41 + 2·128
  CHECK(tally.encode() == expected);
  CHECK(SampledTally().encode() == std::string("\x02\x00", 2));
}

void check_corrupt(const std::string& bytes) {
  CAPTURE(bytes);
  const auto result = SampledTally::decode(bytes);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kStoreCorrupt);
}

TEST_CASE("decode() inverts encode(), and refuses bytes that are cut off or too long") {
  for (const std::size_t count : {0U, 1U, 4U, 40U, 1000U}) {
    const auto answers = some_answers(1000);
    const SampledTally tally = histogram_of({answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(count)});
    const std::string bytes = tally.encode();
    const auto decoded = SampledTally::decode(bytes);
    REQUIRE(decoded);
    CHECK(*decoded == tally);
    CHECK(decoded->reports() == count);
    const auto either = Tally::decode(bytes);
    REQUIRE(either);
    CHECK(*either == Tally(tally));
    for (std::size_t length = 0; length < std::min<std::size_t>(bytes.size(), 200); ++length) {
      check_corrupt(bytes.substr(0, length));
    }
    check_corrupt(bytes + '\0');
    check_corrupt(bytes + std::string("\1\0\1", 3));
    check_corrupt('\1' + bytes.substr(1));
  }
}

TEST_CASE("each tally has one encoding: decode() accepts no other bytes for the tally") {
  tests::CounterBitSource bits("damaged tallies");
  const std::string bytes = histogram_of(some_answers(60)).encode();
  int decoded = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = bytes;
    const auto at = static_cast<std::size_t>(bits.bits(16)) % damaged.size();
    damaged[at] = static_cast<char>(bits.byte());
    const auto tally = SampledTally::decode(damaged);
    if (!tally) continue;
    ++decoded;
    CHECK(tally->encode() == damaged);
  }
  CHECK(decoded > 1000);
}

TEST_CASE("a tally with groups, answers or counts that no channel can have is corrupt") {
  const auto number = [](std::uint64_t value) {
    std::string out;
    for (; value >= 128; value >>= 7U) out.push_back(static_cast<char>(static_cast<std::uint8_t>(value | 128U)));
    return out + static_cast<char>(value);
  };
  const auto tally = [&](const std::vector<std::uint64_t>& numbers) {
    std::string bytes = '\2' + number(numbers.size() / 3);
    for (const std::uint64_t each : numbers) bytes += number(each);
    return bytes;
  };
  CHECK(SampledTally::decode(tally({kLastGroup, kLastAnswer, SampledTally::kMaxReports})));
  check_corrupt(tally({kLastGroup + 1, 0, 1}));
  check_corrupt(tally({kLastGroup, 0, 1, 1, 0, 1}));
  check_corrupt(tally({3, kLastAnswer + 1, 1}));
  check_corrupt(tally({3, kLastAnswer, 1, 0, 0, 1}));
  check_corrupt(tally({3, 0, 0}));
  check_corrupt(tally({3, 0, SampledTally::kMaxReports + 1}));
  check_corrupt(tally({3, 0, SampledTally::kMaxReports, 1, 0, 1}));
  // One number has a superfluous digit, the other has ten digits.
  check_corrupt(std::string("\2\1\x83\0\0\1", 6));
  check_corrupt(std::string("\2\1\x83\x80\x80\x80\x80\x80\x80\x80\x80\1\0\1", 14));
  // The stated number of entries is larger than the text.
  check_corrupt('\2' + number(std::uint64_t{1} << 60U) + std::string("\1\0\1", 3));
}

// Keys of few bits are sorted by digits, and other keys by comparisons. Runs of all lengths cover both methods.
TEST_CASE("runs of pairs of any size are counted as if the pairs came one by one") {
  tests::CounterBitSource bits("runs");
  for (const unsigned group_bits : {1U, 7U, 16U, 30U, 33U, 47U, 62U}) {
    for (const unsigned answer_bits : {0U, 1U, 4U, 16U}) {
      CAPTURE(group_bits);
      CAPTURE(answer_bits);
      std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> expected;
      SampledTally by_runs;
      SampledTally one_by_one;
      for (int run = 0; run < 8; ++run) {
        std::vector<SampledTally::Entry> entries(bits.bits(12));
        for (auto& entry : entries) {
          const std::uint64_t group = bits.bits(group_bits) >> (bits.bits(1) == 0 ? group_bits / 2 : 0);
          entry = {group, static_cast<std::uint32_t>(bits.bits(answer_bits)), 1 + bits.bits(1)};
          expected[{entry.group, entry.answer}] += entry.count;
          for (std::uint64_t i = 0; i < entry.count; ++i) one_by_one.add(entry.group, entry.answer);
        }
        by_runs.add_all(entries);
      }
      std::vector<SampledTally::Entry> sorted;
      for (const auto& [pair, count] : expected) sorted.push_back({pair.first, pair.second, count});
      CHECK(by_runs.entries() == sorted);
      CHECK(one_by_one.entries() == sorted);
      CHECK(by_runs.encode() == one_by_one.encode());
      CHECK(by_runs.reports() == one_by_one.reports());
    }
  }
}

}  // namespace
}  // namespace hearsay::tally
