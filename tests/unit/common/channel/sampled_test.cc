#include "common/channel/sampled.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "common/privacy/randomized_response.h"
#include "tests/support/bit_sources.h"
#include "tests/support/sampled_cases.h"

namespace hearsay {
namespace {

using tests::all_sampled_cases;
using tests::groups_of;
using tests::partition;
using tests::sampled_cases;
using tests::SampledCase;
using tests::SampledParts;

const Epsilon kOne = Epsilon::parse("1").value();

double choose(std::uint64_t n, std::uint64_t k) {
  double product = 1;
  for (std::uint64_t i = 0; i < k; ++i) product *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return product;
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

// Returns the number of coordinates on characters about which a group on s attributes informs.
double covered_count(GroupKind kind, std::uint32_t s, std::uint32_t order) {
  double count = 0;
  for (std::uint32_t l = 1; l <= std::min(s, order); ++l) {
    const bool all = kind == GroupKind::kRaw || (kind == GroupKind::kEven && l % 2 == 0);
    if (all || (kind == GroupKind::kSingle && l == s)) count += choose(s, l);
  }
  return count;
}

TEST_CASE("groups are numbered class by class, and gamma follows from the width of the class") {
  for (const SampledCase& c : all_sampled_cases()) {
    CAPTURE(c.name);
    const SampledParts parts = SampledParts::create(c, "1.5");
    const SampledChannel& channel = parts.sampled();
    std::uint64_t next = 0;
    std::uint64_t weights = 0;
    for (const auto& group_class : channel.classes()) {
      CHECK(group_class.first == next);
      CHECK(group_class.count > 0);
      for (std::uint64_t group = next; group < next + group_class.count; ++group) {
        REQUIRE(&channel.class_of(group) == &group_class);
      }
      next += group_class.count;
      weights += group_class.weight;
      CHECK(group_class.gamma == truth_in_2_to_64(Epsilon::parse("1.5").value(), group_class.answers));
      const double k = group_class.answers;
      CHECK(channel.gamma(group_class) ==
            doctest::Approx((std::exp(1.5) - 1) / (std::exp(1.5) + k - 1)).epsilon(1e-14));
    }
    CHECK(channel.groups() == next);
    CHECK(channel.total_weight() == weights);
    CHECK(channel.dimension() == parts.arrangement().dimension());
    CHECK(channel.is_over(parts.arrangement()));
  }
}

void check_factors(const SampledChannel& channel, const SampledSpec& spec, std::uint64_t group) {
  const auto& group_class = channel.class_of(group);
  const GroupWeight& weight = spec.groups[static_cast<std::size_t>(&group_class - channel.classes().data())];
  std::vector<Factor> factors(group_class.size);
  channel.factors(group, factors);
  std::vector<std::uint32_t> attributes;
  for (const Factor& factor : factors) {
    REQUIRE((attributes.empty() || attributes.back() < factor.attribute));
    attributes.push_back(factor.attribute);
    const bool asked = weight.attributes.empty() ||
                       std::count(weight.attributes.begin(), weight.attributes.end(), factor.attribute) == 1;
    REQUIRE(asked);
  }
  const CharacterIndex::Ranks groups = channel.groups_on(group_class, attributes);
  REQUIRE(group - groups.first < groups.size);
  REQUIRE((group == groups.first) ==
          std::all_of(factors.begin(), factors.end(), [](const Factor& f) { return f.mask == 1; }));
}

TEST_CASE("for every record a group's true value has the coordinates that the group covers") {
  for (const SampledCase& c : sampled_cases()) {
    CAPTURE(c.name);
    const SampledParts parts = SampledParts::create(c, "1");
    const SampledChannel& channel = parts.sampled();
    const std::vector<Record> records = tests::all_records(parts.schema());
    std::vector<std::vector<std::int8_t>> embeddings(records.size(), std::vector<std::int8_t>(channel.dimension()));
    for (std::size_t i = 0; i < records.size(); ++i) parts.arrangement().encode(records[i], embeddings[i]);
    std::vector<SampledChannel::Covered> covered;
    for (std::uint64_t group = 0; group < channel.groups(); ++group) {
      const auto& group_class = channel.class_of(group);
      channel.covered(group, covered);
      const auto* characters = std::get_if<Characters>(&parts.arrangement().kind());
      if (characters != nullptr) check_factors(channel, c.channel, group);
      const double expected = characters == nullptr
                                  ? group_class.width
                                  : covered_count(group_class.kind, group_class.size, characters->order());
      REQUIRE(static_cast<double>(covered.size()) == expected);
      for (std::size_t i = 1; i < covered.size(); ++i) REQUIRE(covered[i - 1].coordinate < covered[i].coordinate);
      for (std::size_t r = 0; r < records.size(); ++r) {
        const std::uint32_t value = channel.true_value(group, records[r]);
        REQUIRE((value >> group_class.width) == 0);
        for (const auto& [coordinate, mask] : covered) {
          REQUIRE(embeddings[r][coordinate] == (std::popcount(value & mask) % 2 == 0 ? 1 : -1));
        }
      }
    }
  }
}

TEST_CASE("coverage and information agree with the list of all groups") {
  for (const SampledCase& c : sampled_cases()) {
    CAPTURE(c.name);
    const SampledParts parts = SampledParts::create(c, "2");
    const SampledChannel& channel = parts.sampled();
    const auto* characters = std::get_if<Characters>(&parts.arrangement().kind());
    std::vector<double> information(channel.dimension(), 0);
    for (const auto& group_class : channel.classes()) {
      std::vector<double> coverage(channel.dimension(), 0);
      double total = 0;
      std::vector<SampledChannel::Covered> covered;
      for (std::uint64_t group = group_class.first; group < group_class.first + group_class.count; ++group) {
        channel.covered(group, covered);
        const double p = tests::chance_within_class(parts.schema(), c.channel, channel, group);
        total += p;
        for (const auto& each : covered) coverage[each.coordinate] += p;
      }
      CHECK(close(total, 1));
      const double share = static_cast<double>(group_class.weight) / static_cast<double>(channel.total_weight());
      for (std::uint32_t j = 0; j < channel.dimension(); ++j) {
        information[j] += std::pow(channel.gamma(group_class), 2) * share * coverage[j];
        if (characters == nullptr) {
          if (coverage[j] > 0) CHECK(close(channel.coverage(group_class, {}), share * coverage[j]));
          continue;
        }
        std::vector<std::uint32_t> on;
        for (const Factor& factor : characters->factors(j)) on.push_back(factor.attribute);
        CHECK(close(channel.coverage(group_class, on), share * coverage[j]));
      }
    }
    for (std::uint32_t j = 0; j < channel.dimension(); ++j) {
      std::vector<std::uint32_t> on;
      if (characters != nullptr) {
        for (const Factor& factor : characters->factors(j)) on.push_back(factor.attribute);
      }
      const double stated = characters == nullptr ? channel.literal_information(j) : channel.information(on);
      CHECK((information[j] > 0) == (characters == nullptr || channel.asks(on)));
      CHECK(close(stated, information[j]));
    }
  }
}

TEST_CASE("a coin below gamma gives the truth, and any other coin the uniform bits") {
  for (const SampledCase& c : all_sampled_cases()) {
    const SampledParts parts = SampledParts::create(c, "1");
    const SampledChannel& channel = parts.sampled();
    const Record record = tests::all_records(parts.schema()).back();
    for (std::uint64_t group = 0; group < channel.groups(); ++group) {
      const auto& group_class = channel.class_of(group);
      const std::uint32_t truth = channel.true_value(group, record);
      for (std::uint32_t uniform = 0; uniform < 1U << group_class.width; ++uniform) {
        REQUIRE(channel.answer({group, 0, uniform}, record) == truth);
        REQUIRE(channel.answer({group, group_class.gamma - 1, uniform}, record) == truth);
        REQUIRE(channel.answer({group, group_class.gamma, uniform}, record) == uniform);
        REQUIRE(channel.answer({group, ~std::uint64_t{0}, uniform}, record) == uniform);
      }
    }
  }
}

TEST_CASE("a draw reads its bits in a fixed order: class, group, coin, answer") {
  // The classes have the weights 1 and 3, so the draw of a class takes two bits. A single asks one of 3 attributes. So
  // the draw of the attribute takes two bits and rejects the number 3.
  const Arrangement arrangement = Arrangement::create(CharactersSpec{1}, tests::schema_of("b c3 b")).value();
  const auto channel =
      SampledChannel::create(groups_of({{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 2, 3}}), arrangement, kOne)
          .value();
  // The draw takes class 0, rejects attribute 3, takes attribute 1, rejects mask number 3 and takes mask number 2. So
  // the group is 1 + 2 = 3.
  tests::ScriptedBitSource single{0, 3, 1, 3, 2, 1, 2, 3, 4, 5, 6, 7, 0x80, 0xff};
  const auto first = channel.draw(single);
  CHECK(first.group == 3);
  CHECK(first.coin == 0x8007060504030201);
  CHECK(first.uniform == 1);
  CHECK(single.remaining() == 0);
  // Class 1 has the sets {0,1}, {0,2} and {1,2}, and the draw takes set number 1. A boolean has only one mask, so its
  // mask takes no bits. The group is 5 + 3.
  tests::ScriptedBitSource raw{2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0xfe};
  const auto second = channel.draw(raw);
  CHECK(second.group == channel.classes()[1].first + 3);
  CHECK(second.coin == 0);
  CHECK(second.uniform == 2);
  CHECK(raw.remaining() == 0);
  tests::FailingBitSource failing;
  CHECK_THROWS_AS(static_cast<void>(channel.draw(failing)), EntropyError);
}

void check_refused(const SampledSpec& spec, const ArrangementSpec& on, const std::string& shape, ErrorCode code,
                   const std::string& part) {
  CAPTURE(part);
  const Arrangement arrangement = Arrangement::create(on, tests::schema_of(shape)).value();
  const auto channel = SampledChannel::create(spec, arrangement, kOne);
  REQUIRE_FALSE(channel);
  CAPTURE(channel.error().message);
  CHECK(error_name(channel.error().code) == error_name(code));
  CHECK(channel.error().message.find(part) != std::string::npos);
}

TEST_CASE("specifications that do not fit the arrangement are refused") {
  constexpr auto kInvalid = ErrorCode::kInvalidArgument;
  const ArrangementSpec literals = LiteralsSpec{};
  check_refused(partition(0), literals, "b b b", kInvalid, "from 1 to");
  check_refused(partition(4), literals, "b b b", kInvalid, "number of literals, 3");
  check_refused(partition(17), literals, "r40", ErrorCode::kLimitExceeded, "at most 16");
  SampledSpec both = groups_of({{GroupKind::kSingle, 1, 1}});
  check_refused(both, literals, "b", kInvalid, "`characters` only");
  both.group_size = 1;
  check_refused(both, CharactersSpec{1}, "b", kInvalid, "`literals` only");

  const auto refused = [](std::vector<GroupWeight> groups, std::uint32_t order, ErrorCode code,
                          const std::string& part) {
    check_refused(groups_of(std::move(groups)), CharactersSpec{order}, "b b b c3", code, part);
  };
  refused({}, 2, kInvalid, "must be given");
  refused({{GroupKind::kSingle, 0, 1}}, 1, kInvalid, "at least 1");
  refused({{GroupKind::kRaw, 1, 1}}, 1, kInvalid, "at least 2");
  refused({{GroupKind::kEven, 2, 1}}, 2, kInvalid, "at least 3");
  refused({{GroupKind::kRaw, 5, 1}}, 2, kInvalid, "larger than the number of attributes");
  refused({{GroupKind::kSingle, 2, 1, {3}}}, 2, kInvalid, "larger than the number of attributes");
  refused({{GroupKind::kSingle, 1, 1, {1, 4}}}, 2, kInvalid, "the schema lacks");
  refused({{GroupKind::kSingle, 1, 1, {1, 1}}}, 2, kInvalid, "ascending");
  refused({{GroupKind::kSingle, 1, 1, {2, 1}}}, 2, kInvalid, "ascending");
  refused({{GroupKind::kSingle, 1, 1, {1, 2}, {1}}}, 2, kInvalid, "as many odds");
  refused({{GroupKind::kSingle, 1, 1, {}, {1, 1, 1}}}, 2, kInvalid, "as many odds");
  refused({{GroupKind::kSingle, 1, 1, {1, 2}, {1, 0}}}, 2, kInvalid, "odds from 1 to 1048576");
  refused({{GroupKind::kSingle, 1, 1, {1, 2}, {1, (1U << 20U) + 1}}}, 2, kInvalid, "odds from 1 to 1048576");
  refused({{GroupKind::kRaw, 2, 0}}, 2, kInvalid, "weight 0");
  refused({{GroupKind::kRaw, 2, 1}, {GroupKind::kRaw, 2, 2}}, 2, kInvalid, "twice");
  refused({{GroupKind::kSingle, 1, 1, {1, 2}}, {GroupKind::kSingle, 1, 4, {1, 2}}}, 2, kInvalid, "twice");
  refused({{GroupKind::kRaw, 2, 1}, {GroupKind::kSingle, 3, 1}}, 2, kInvalid, "no coordinate");
  refused({{GroupKind::kSingle, 1, 1}, {GroupKind::kEven, 3, 1}}, 1, kInvalid, "no coordinate");

  std::string wide = "b";
  for (int i = 1; i < 20; ++i) wide += " b";
  const CharactersSpec order{2};
  check_refused(groups_of({{GroupKind::kRaw, 17, 1}}), order, wide, ErrorCode::kLimitExceeded, "16 bits");
  check_refused(groups_of({{GroupKind::kRaw, 2, 1}, {GroupKind::kEven, 18, 1}}), order, wide, ErrorCode::kLimitExceeded,
                "16 bits");
  const Arrangement arrangement = Arrangement::create(order, tests::schema_of(wide)).value();
  const auto widest =
      SampledChannel::create(groups_of({{GroupKind::kRaw, 16, 1}, {GroupKind::kEven, 17, 1}}), arrangement, kOne);
  REQUIRE(widest);
  CHECK(widest->classes()[1].width == 16);
  std::vector<SampledChannel::Covered> covered;
  widest->covered(widest->groups() - 1, covered);
  CHECK(covered.size() == 17 * 16 / 2);
}

// The schema has 20 attributes with odds of 2^20. So the sets of 3 have the total odds C(20,3)·2^60.
TEST_CASE("odds that add up to more than 2^62 are refused") {
  const std::vector<std::uint32_t> odds(20, 1U << 20U);
  std::string shape = "b";
  for (int i = 1; i < 20; ++i) shape += " b";
  check_refused(groups_of({{GroupKind::kSingle, 3, 1, {}, odds}}), CharactersSpec{3}, shape, ErrorCode::kLimitExceeded,
                "2^62");
  const Arrangement arrangement = Arrangement::create(CharactersSpec{3}, tests::schema_of(shape)).value();
  CHECK(SampledChannel::create(groups_of({{GroupKind::kSingle, 2, 1, {}, odds}}), arrangement, kOne));
}

TEST_CASE("more than 2^62 groups are refused, in one class or in all classes together") {
  std::string shape;
  for (int i = 0; i < 14; ++i) shape += "r1024 ";
  // C(14,6)·1023^6 is about 2^71.5.
  check_refused(groups_of({{GroupKind::kRaw, 6, 1}}), CharactersSpec{1}, shape, ErrorCode::kLimitExceeded, "2^62");
  const Arrangement arrangement = Arrangement::create(CharactersSpec{1}, tests::schema_of(shape)).value();
  const auto one = SampledChannel::create(groups_of({{GroupKind::kRaw, 5, 1}}), arrangement, kOne);
  REQUIRE(one);
  CHECK(one->payload_size() <= 12);
  CHECK(static_cast<double>(one->groups()) == doctest::Approx(2002 * std::pow(1023, 5)).epsilon(1e-15));
  // C(40,16)·3^16 is about 2^61.2. Twice this number is too many.
  std::string quarters;
  for (int i = 0; i < 40; ++i) quarters += "c4 ";
  const Arrangement of_quarters = Arrangement::create(CharactersSpec{2}, tests::schema_of(quarters)).value();
  CHECK(SampledChannel::create(groups_of({{GroupKind::kRaw, 16, 1}}), of_quarters, kOne));
  check_refused(groups_of({{GroupKind::kRaw, 16, 1}, {GroupKind::kEven, 16, 1}}), CharactersSpec{2}, quarters,
                ErrorCode::kLimitExceeded, "2^62");
}

TEST_CASE("a single can ask about many attributes") {
  std::string shape;
  std::vector<GroupWeight> groups;
  for (std::uint32_t s = 1; s <= 20; ++s) {
    shape += "b ";
    groups.push_back({GroupKind::kSingle, s, 1});
  }
  const SampledParts parts = SampledParts::create({"", shape, CharactersSpec{20}, groups_of(groups)}, "1");
  const SampledChannel& channel = parts.sampled();
  CHECK(channel.groups() == (1U << 20U) - 1);
  std::vector<SampledChannel::Covered> covered;
  const Record record = Record::create(parts.schema(), std::vector<std::uint32_t>(20, 1)).value();
  tests::CounterBitSource bits("singles on many");
  for (int i = 0; i < 1000; ++i) {
    const auto draw = channel.draw(bits);
    // A single of all attributes covers one coordinate, which has the number of the group. All booleans are yes, and
    // each attribute gives the factor -1.
    channel.covered(draw.group, covered);
    REQUIRE(covered.size() == 1);
    REQUIRE(covered[0].coordinate == draw.group);
    REQUIRE(channel.true_value(draw.group, record) == channel.class_of(draw.group).size % 2);
  }
}

TEST_CASE("with_gammas() changes only the law") {
  const SampledParts parts = SampledParts::create(sampled_cases()[12], "1");
  const SampledChannel& channel = parts.sampled();
  std::vector<std::uint64_t> gammas;
  for (const auto& group_class : channel.classes()) gammas.push_back(group_class.gamma / 2);
  const SampledChannel planted = channel.with_gammas(gammas).value();
  for (std::size_t i = 0; i < gammas.size(); ++i) {
    CHECK(planted.classes()[i].gamma == gammas[i]);
    CHECK(planted.classes()[i].first == channel.classes()[i].first);
  }
  CHECK(planted.payload_size() == channel.payload_size());
  gammas[0] = 0;
  CHECK(channel.with_gammas(gammas).error().code == ErrorCode::kInvalidArgument);
  gammas.clear();
  CHECK(channel.with_gammas(gammas).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("is_over() tells the channel's own arrangement from others") {
  const auto arrangement = [](const ArrangementSpec& spec, const std::string& shape) {
    return Arrangement::create(spec, tests::schema_of(shape)).value();
  };
  const auto literals = SampledChannel::create(partition(2), arrangement(LiteralsSpec{}, "b c3"), kOne).value();
  CHECK(literals.is_over(arrangement(LiteralsSpec{}, "b c3")));
  CHECK_FALSE(literals.is_over(arrangement(LiteralsSpec{}, "b r4")));
  CHECK_FALSE(literals.is_over(arrangement(LiteralsSpec{}, "b b b b")));
  CHECK_FALSE(literals.is_over(arrangement(CharactersSpec{1}, "b c3")));
  const auto characters =
      SampledChannel::create(groups_of({{GroupKind::kRaw, 2, 1}}), arrangement(CharactersSpec{2}, "b c3"), kOne)
          .value();
  CHECK(characters.is_over(arrangement(CharactersSpec{2}, "b c3")));
  CHECK_FALSE(characters.is_over(arrangement(CharactersSpec{1}, "b c3")));
  CHECK_FALSE(characters.is_over(arrangement(CharactersSpec{2}, "c3 b")));
  CHECK_FALSE(characters.is_over(arrangement(CharactersSpec{2}, "b c4")));
  CHECK_FALSE(characters.is_over(arrangement(CharactersSpec{2}, "b c3 b")));
  CHECK_FALSE(characters.is_over(arrangement(LiteralsSpec{}, "b c3")));
}

}  // namespace
}  // namespace hearsay
