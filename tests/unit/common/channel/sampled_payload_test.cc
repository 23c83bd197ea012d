#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "common/channel/channel.h"
#include "tests/support/bit_sources.h"
#include "tests/support/sampled_cases.h"

namespace hearsay {
namespace {

using tests::all_sampled_cases;
using tests::groups_of;
using tests::hash;
using tests::SampledCase;
using tests::SampledParts;
using Bytes = std::vector<std::uint8_t>;

TEST_CASE("the accepted payloads are those of the groups and answers, each once") {
  for (const SampledCase& c : all_sampled_cases()) {
    CAPTURE(c.name);
    const SampledParts parts = SampledParts::create(c, "1");
    const SampledChannel& channel = parts.sampled();
    REQUIRE(channel.payload_size() <= 2);
    std::uint64_t accepted = 0;
    for (std::uint32_t number = 0; number < 1U << (8 * channel.payload_size()); ++number) {
      Bytes payload = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 8U)};
      payload.resize(channel.payload_size());
      const auto answer = channel.unpack(payload);
      const bool checked = static_cast<bool>(parts.channel().check(payload));
      REQUIRE(checked == static_cast<bool>(answer));
      if (!answer) {
        REQUIRE(answer.error().code == ErrorCode::kReportOutOfBounds);
        continue;
      }
      ++accepted;
      REQUIRE(answer->group < channel.groups());
      REQUIRE((answer->answer >> channel.class_of(answer->group).width) == 0);
      Bytes packed(channel.payload_size());
      channel.pack(answer->group, answer->answer, packed);
      REQUIRE(packed == payload);
    }
    std::uint64_t pairs = 0;
    for (const auto& group_class : channel.classes()) pairs += group_class.count * group_class.answers;
    CHECK(accepted == pairs);
    for (const std::size_t size : {std::size_t{0}, channel.payload_size() - 1, channel.payload_size() + 1}) {
      const auto refused = parts.channel().check(Bytes(size));
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == ErrorCode::kReportWrongSize);
    }
  }
}

TEST_CASE("a payload is refused if its field for an attribute holds no answer") {
  // Each attribute has one question. The questions have 3 and 5 answers, in fields of 2 and 3 bits.
  const SampledParts parts = SampledParts::create(
      {"", "c3 c5", CharactersSpec{2}, {.groups = {{GroupKind::kRaw, 2, 1}}, .questions = {hash(3), hash(5)}}}, "1");
  REQUIRE(parts.channel().payload_size() == 1);
  REQUIRE(parts.sampled().classes()[0].answers == 15);
  std::set<std::uint32_t> answers;
  for (std::uint32_t n = 0; n < 15; ++n) answers.insert(parts.sampled().nth_answer(0, n));
  for (std::uint32_t number = 0; number < 256; ++number) {
    const bool fits = (number & 3U) < 3 && number >> 2U < 5;
    const Bytes payload{static_cast<std::uint8_t>(number)};
    const auto checked = parts.channel().check(payload);
    REQUIRE(static_cast<bool>(checked) == fits);
    if (!fits) REQUIRE(checked.error().code == ErrorCode::kReportOutOfBounds);
    REQUIRE(answers.contains(number) == fits);
  }
}

TEST_CASE("the format is right, byte by byte") {
  const auto payload_of = [](const std::string& shape, SampledSpec spec, std::uint64_t group, std::uint32_t answer) {
    const SampledParts parts = SampledParts::create({"", shape, CharactersSpec{2}, std::move(spec)}, "1");
    Bytes payload(parts.channel().payload_size());
    parts.sampled().pack(group, answer, payload);
    return payload;
  };
  std::string booleans = "b";
  for (int i = 1; i < 16; ++i) booleans += " b";
  // The example of format.md.
  CHECK(payload_of(booleans, groups_of({{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 1}}), 17, 1) ==
        Bytes{0x23, 0x00});
  // There are 3 sets, with 1 + 3 + 3 = 7 groups. A group takes 3 bits, and an answer 2.
  CHECK(payload_of("b b c4", groups_of({{GroupKind::kRaw, 2, 1}}), 6, 3) == Bytes{6 * 4 + 3});
}

TEST_CASE("the largest payloads have 10 bytes") {
  // There are C(40,16)·3^16 = 2^61.2 groups, which take 62 bits. The answer takes 16 bits.
  std::string quarters;
  for (int i = 0; i < 40; ++i) quarters += "c4 ";
  const SampledParts parts =
      SampledParts::create({"", quarters, CharactersSpec{2}, groups_of({{GroupKind::kRaw, 16, 1}})}, "1");
  const SampledChannel& channel = parts.sampled();
  REQUIRE(channel.payload_size() == 10);
  for (const std::uint64_t group : {std::uint64_t{0}, channel.groups() / 3, channel.groups() - 1}) {
    for (const std::uint32_t answer : {0U, 0x1234U, 0xffffU}) {
      Bytes payload(10);
      channel.pack(group, answer, payload);
      const auto unpacked = channel.unpack(payload);
      REQUIRE(unpacked);
      CHECK(unpacked->group == group);
      CHECK(unpacked->answer == answer);
    }
  }
  Bytes payload(10);
  channel.pack(channel.groups(), 0, payload);
  CHECK(channel.unpack(payload).error().code == ErrorCode::kReportOutOfBounds);
  // The number has 78 bits. Sets each bit after these 78.
  for (const std::uint8_t padding : {0x40, 0x80}) {
    channel.pack(5, 3, payload);
    payload.back() = static_cast<std::uint8_t>(payload.back() | padding);
    CHECK(channel.unpack(payload).error().code == ErrorCode::kReportOutOfBounds);
  }
}

}  // namespace
}  // namespace hearsay
