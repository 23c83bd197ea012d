#include "aggregator/tally/parts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/support/bit_sources.h"
#include "tests/support/sampled_cases.h"

namespace hearsay::tally {
namespace {

using tests::SampledParts;
using Entry = SampledTally::Entry;

// Returns channels with one part, with groups of several widths, with groups that are divided between parts, and with
// about 2^59 pairs.
std::vector<SampledParts> channels() {
  const auto raw = [](std::uint32_t attributes) {
    return tests::groups_of({{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, attributes, 3}});
  };
  std::string many = "b";
  for (int i = 1; i < 63; ++i) many += " b";
  return {SampledParts::create({"small", "b b b", CharactersSpec{1}, raw(3)}, "1"),
          SampledParts::create({"mixed", "b b b b b b b b b b b b b b b b", CharactersSpec{1}, raw(7)}, "1"),
          SampledParts::create({"wide", "b b b b b b b b b b b b b b b b", CharactersSpec{1}, raw(16)}, "1"),
          SampledParts::create({"many", many, CharactersSpec{1}, raw(14)}, "1")};
}

std::vector<Entry> random_entries(const SampledChannel& channel, std::size_t count, BitSource& bits) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    const auto draw = channel.draw(bits);
    entries.push_back({draw.group, draw.uniform, 1 + i % 3});
  }
  return entries;
}

TEST_CASE("the pairs of a tally are divided into ascending parts of bounded size, which add up to the tally") {
  for (const SampledParts& made : channels()) {
    const SampledChannel& channel = made.sampled();
    tests::CounterBitSource bits(made.arrangement().dimension() == 3 ? "small" : "other");
    const Parts parts(made.channel());
    SampledTally counts;
    counts.add_all(random_entries(channel, 5000, bits));
    const Tally tally(counts);
    std::vector<PartStart> starts;
    Tally sum = Tally::empty(made.channel());
    const auto pairs = parts.split(tally, [&](const PartStart& start, const std::string& bytes) -> Result<void> {
      const Tally part = Tally::decode(bytes).value();
      CHECK(parts.fit(part, start));
      CHECK_FALSE(parts.fit(part, {start.group, start.answer + 1}));
      CHECK(Parts::pairs(part) <= Parts::kMostPairs);
      CHECK((starts.empty() || starts.back() < start));
      starts.push_back(start);
      REQUIRE(sum.merge(part));
      return {};
    });
    CHECK(sum == tally);
    CHECK(pairs.value() == counts.entries().size());
    CHECK((starts.size() == 1) == (parts.pairs() <= Parts::kMostPairs));
    CHECK(parts.fit(tally));
  }
}

TEST_CASE("groups and answers that no report of the channel can have are refused in every part") {
  const SampledParts made = channels()[1];
  const SampledChannel& channel = made.sampled();
  const Parts parts(made.channel());
  const auto fit = [&](std::uint64_t group, std::uint32_t answer) {
    SampledTally counts;
    counts.add(group, answer);
    return parts.fit(Tally(counts));
  };
  const auto& singles = channel.classes()[0];
  CHECK(fit(singles.first, 1));
  CHECK_FALSE(fit(singles.first, 2));
  CHECK(fit(channel.groups() - 1, 127));
  CHECK_FALSE(fit(channel.groups() - 1, 128));
  CHECK_FALSE(fit(channel.groups(), 0));
  CHECK_FALSE(parts.fit(Tally(LaplaceTally(3))));
}

// A field of two bits has three answers, so one value of the field is no answer.
TEST_CASE("a value of the field that is no answer is refused in every part") {
  SampledSpec spec = tests::groups_of({{GroupKind::kRaw, 1, 1}});
  spec.questions = {HashQuestions{3}};
  const SampledParts made = SampledParts::create({"hash", "c5", CharactersSpec{1}, spec}, "1");
  const Parts parts(made.channel());
  for (std::uint32_t answer = 0; answer < 4; ++answer) {
    SampledTally counts;
    counts.add(0, answer);
    CHECK(parts.fit(Tally(counts)) == (answer < 3));
  }
}

TEST_CASE("the number of pairs is the number of answers, over all groups") {
  CHECK(Parts(channels()[0].channel()).pairs() == 3 * 2 + 8);
  CHECK(Parts(channels()[1].channel()).pairs() == 16 * 2 + 11'440 * 128);
  CHECK(Parts(channels()[2].channel()).pairs() == 16 * 2 + 65'536);
}

TEST_CASE("a tally that is built from entries is the sum of the entries, which may repeat") {
  tests::CounterBitSource bits("built");
  const SampledParts made = channels()[1];
  std::vector<Entry> entries = random_entries(made.sampled(), 150'000, bits);
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.group, e.answer); });
  SampledTallyBuilder builder;
  for (const Entry& entry : entries) REQUIRE(builder.add(entry));
  SampledTally expected;
  expected.add_all(entries);
  CHECK(builder.pairs() == expected.entries().size());
  CHECK(builder.finish() == expected);
  CHECK(builder.pairs() == 0);
  REQUIRE(builder.add({0, 0, SampledTally::kMaxReports}));
  CHECK(builder.add({0, 1, 1}).error().code == ErrorCode::kOverflow);
}

}  // namespace
}  // namespace hearsay::tally
