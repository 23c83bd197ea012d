// The log as a crash leaves it: read up to its last whole commit, and damage told from what was broken off.
#include "aggregator/store/wal.h"

#include "tests/unit/aggregator/store/wal_fixture.h"

namespace hearsay::aggregator::tests {
namespace {

// CRC-32C as RocksDB has it: with the register that four chosen bytes can set to anything.
class Register {
 public:
  std::uint32_t value() const { return crc_.checksum() ^ 0xffffffffU; }
  void take(const std::string& bytes) { crc_.process_bytes(bytes.data(), bytes.size()); }
  // The four bytes that make it `target`.
  std::string forcing(std::uint32_t target) const {
    for (int step = 0; step < 4; ++step) {  // backwards
      std::uint32_t index = 0;
      while (entry(index) >> 24U != target >> 24U) ++index;
      target = (target ^ entry(index)) << 8U | index;
    }
    target ^= value();
    std::string bytes(4, '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(target & 0xffU);
      target >>= 8U;
    }
    return bytes;
  }

 private:
  static std::uint32_t entry(std::uint32_t index) {
    boost::crc_optimal<32, 0x1EDC6F41, 0, 0, true, true> crc;
    crc.process_byte(static_cast<unsigned char>(index));
    return crc.checksum();
  }
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc_;
};

std::string over_zeros(std::string bytes) {
  bytes.resize((bytes.size() / kSector + 9) * kSector);
  return bytes;
}

TEST_CASE("what lies behind a record of which something is missing tells whether it was the last") {
  // The second begins in the first block of the log and ends in the second.
  const PlainLog plain({"first", std::string(40'000, 'x'), std::string(2 * kSector, 'y')});
  constexpr std::size_t kBlock = 32'768;
  const std::uint64_t begin = plain.ends[0];
  REQUIRE((begin < kBlock && kBlock < plain.ends[1] && plain.ends[2] < 2 * kBlock));
  const auto without = [](std::string bytes, std::size_t at, std::size_t length) {
    return bytes.replace(at, length, length, '\0');
  };
  const std::string two = plain.bytes.substr(0, plain.ends[1]);
  for (const std::size_t sector : {std::size_t{0}, kBlock / 2, kBlock - kSector, kBlock, kBlock + 2 * kSector}) {
    CAPTURE(sector);
    const std::size_t at = std::max<std::size_t>(sector, begin);
    const std::size_t length = sector + kSector - at;
    CHECK(end_of(over_zeros(without(two, at, length))) == begin);
    CHECK(end_of(over_zeros(without(plain.bytes, at, length))) == std::nullopt);
    // No power cut takes less than a sector.
    CHECK(end_of(over_zeros(without(two, at, 7))) == std::nullopt);
    // A log that was made longer has no sectors missing.
    CHECK(end_of(without(two, at, length)) == std::nullopt);
  }
  // All of the first block's part is missing, then of the second's too.
  const std::string no_first = without(two, begin, kBlock - begin);
  CHECK(end_of(over_zeros(no_first)) == begin);
  CHECK(end_of(over_zeros(without(plain.bytes, begin, kBlock - begin))) == std::nullopt);
  CHECK(end_of(no_first) == std::nullopt);
  CHECK(end_of(no_first.substr(0, kBlock + 999)) == std::nullopt);
  CHECK(end_of(over_zeros(without(two, begin, two.size() - begin))) == begin);
  // The third is torn, too: it was begun.
  const std::size_t third = plain.ends[1];
  const std::string both = without(without(plain.bytes, kBlock / 2, kSector), third, kSector - third % kSector);
  CHECK(end_of(over_zeros(both)) == std::nullopt);
}

TEST_CASE("a garbled header is damage, whatever it says") {
  const PlainLog plain({"first", std::string(600, 'x'), "third"});
  const std::uint64_t begin = plain.ends[0];
  const std::string two = plain.bytes.substr(0, plain.ends[1]);
  for (const std::string header : {"abcd\x10\x70\x01", "abcd\x10\x03\x01", "abcd\x10\x03\x7f", "abcd\x10\x01\x01"}) {
    std::string last = two;
    CHECK(end_of(over_zeros(last.replace(begin, 7, header))) == std::nullopt);
    std::string followed = plain.bytes;
    CHECK(end_of(over_zeros(followed.replace(begin, 7, header))) == std::nullopt);
    CHECK(end_of(followed) == std::nullopt);
  }
  // Nor does it help that the mark is gone.
  const std::string blank = std::string(2 * kSector, '\0') + "end";
  const PlainLog with_blank({"first", blank, "third"});
  std::string unmarked = with_blank.bytes;
  unmarked[with_blank.ends[1] - 1] ^= 0x10;
  CHECK(end_of(over_zeros(unmarked)) == std::nullopt);
}

TEST_CASE("no payload makes a commit that was broken off look damaged") {
  constexpr std::size_t kBlock = 32'768;
  Random random(5);
  SUBCASE("a fragment that a client fills has the checksum of its own beginning") {
    std::string value = random.bytes(100'000);
    const std::size_t second_block = kBlock - PlainLog({value}).bytes.find(value.substr(0, 64));
    Register crc;
    crc.take("\x03");
    std::string fragment = crc.forcing(0x12345678) + random.bytes(kBlock - 7 - 8);
    crc.take(fragment);
    fragment += crc.forcing(0x12345678);
    const PlainLog plain({value.replace(second_block, fragment.size(), fragment)});
    for (std::size_t size = kBlock + kSector; size < 2 * kBlock; size += kSector) {
      CHECK(end_of(plain.bytes.substr(0, size)) == 0);
      CHECK(end_of(over_zeros(plain.bytes.substr(0, size))) == 0);
    }
  }
  SUBCASE("what is left behind a missing header has the checksum that zeros are") {
    const PlainLog plain({"first", random.bytes(3000)});
    const std::size_t begin = plain.ends[0];
    const std::size_t left = (begin / kSector + 1) * kSector;  // the first sector that is there
    Register crc;
    crc.take(std::string(left - begin - 6, '\0'));
    const std::uint32_t unmasked = 0U - 0xa282ead8U;
    std::string torn = plain.bytes.substr(0, begin) + std::string(left - begin, '\0') +
                       crc.forcing((unmasked >> 17U | unmasked << 15U) ^ 0xffffffffU) + plain.bytes.substr(left + 4);
    CHECK(end_of(over_zeros(torn)) == begin);
  }
}

TEST_CASE("marks differ, and no flipped bit makes one blank") {
  const CommitMark mark = make_commit_mark(system_bit_source());
  CHECK(mark != make_commit_mark(system_bit_source()));
  for (std::size_t i = 0; i < mark.size(); ++i) CHECK_FALSE(has_blank_sector({&mark[i], 1}, i, 1));
}

TEST_CASE("logs without marks and those that hardly begin are read as well") {
  for (const std::size_t size : {0U, 1U, 6U, 512U, 1000U}) CHECK(end_of(std::string(size, '\0')) == 0);
  // A commit of an older version may end as if it had a mark, which is not one.
  const std::string no_mark = std::string("\x03\x10", 2) + std::string(16, '\0');
  const PlainLog old({no_mark, std::string(3 * kSector, 'x'), "third"}, false);
  for (std::size_t size = old.ends[0]; size < old.ends[1]; ++size) {
    CHECK(end_of(old.bytes.substr(0, size)) == old.ends[0]);
    std::string torn = old.bytes.substr(0, size / kSector * kSector);
    if (size % kSector == 0) CHECK(end_of(over_zeros(torn)) == old.ends[0]);
  }
}

}  // namespace
}  // namespace hearsay::aggregator::tests
