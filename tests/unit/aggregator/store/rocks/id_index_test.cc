#include "aggregator/store/rocks/id_index.h"

#include <doctest/doctest.h>

#include <map>

namespace hearsay::store::rocks {
namespace {

// A fixed sequence of mixed numbers (SplitMix64).
struct Numbers {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
    return z ^ z >> 31U;
  }
};

TEST_CASE("the index of ids behaves like a map, for inserts and erasures in any order") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Numbers numbers{seed};
    IndexUsage usage;
    IdIndex index(usage);
    std::map<HiddenId, std::uint64_t> expected;
    for (int step = 0; step < 60'000; ++step) {
      // There are few different ids, so that ids repeat.
      const std::uint64_t choice = numbers.next();
      const HiddenId id{Numbers{choice % 9000}.next(), choice % 3};
      const bool growing = step / 10'000 % 2 == 0;
      const auto known = expected.find(id);
      REQUIRE(index.find(id) == (known == expected.end() ? 0 : known->second));
      if (known == expected.end() && (growing || choice >> 60U == 0)) {
        const std::uint64_t digest = choice | 1U;
        index.insert(id, digest);
        expected.emplace(id, digest);
      } else if (!growing || choice >> 60U == 0) {
        index.erase(id);
        REQUIRE(index.find(id) == 0);
        if (known != expected.end()) expected.erase(known);
      }
      REQUIRE(usage.ids == expected.size());
    }
    for (const auto& [id, digest] : expected) CHECK(index.find(id) == digest);
    for (const auto& [id, digest] : expected) index.erase(id);
    CHECK(usage.ids == 0);
    CHECK(usage.bytes == 0);
  }
}

TEST_CASE("the index of ids takes at most 40 bytes a report at every size") {
  IndexUsage usage;
  IdIndex index(usage);
  Numbers numbers{7};
  for (std::size_t size = 1; size <= 300'000; ++size) {
    index.insert({numbers.next(), numbers.next()}, 1);
    if (usage.bytes > IdIndex::kFixedBytes + size * IdIndex::kMaxBytesPerEntry) {
      CAPTURE(size);
      REQUIRE(usage.bytes <= IdIndex::kFixedBytes + size * IdIndex::kMaxBytesPerEntry);
    }
  }
  CHECK(usage.ids == 300'000);
  index.clear();
  CHECK(usage.ids == 0);
  CHECK(usage.bytes == 0);
}

}  // namespace
}  // namespace hearsay::store::rocks
