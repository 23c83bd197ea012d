#include "aggregator/store/wal.h"

#include <algorithm>
#include <bit>
#include <boost/crc.hpp>
#include <memory>

#include "aggregator/store/status.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

constexpr std::size_t kBlock = 32'768;
constexpr std::size_t kHeader = 7;  // CRC-32C (4, little-endian, masked), length (2, little-endian), type (1)

// Set in each byte of a mark.
constexpr int kMarkBits = 0x81;

enum Type : std::uint8_t { kZero = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

using Crc32c = boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true>;

std::uint8_t byte_at(std::string_view bytes, std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); }

std::uint32_t stored_crc(std::string_view record) {
  std::uint32_t masked = 0;
  for (std::size_t i = 4; i-- > 0;) masked = masked << 8U | byte_at(record, i);
  const std::uint32_t rotated = masked - 0xa282ead8U;
  return rotated >> 17U | rotated << 15U;
}

// Of a record with its header, as the header says.
std::size_t stored_size(std::string_view record) { return kHeader + byte_at(record, 4) + 256U * byte_at(record, 5); }

bool all_zero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

bool is_valid_record(std::string_view bytes) {
  if (bytes.size() < kHeader || byte_at(bytes, 6) < kFull || byte_at(bytes, 6) > kLast) return false;
  const std::size_t size = stored_size(bytes);
  if (size > bytes.size()) return false;
  Crc32c crc;
  crc.process_bytes(bytes.data() + 6, size - 6);
  return crc.checksum() == stored_crc(bytes);
}

// Whether the length in the header of a wrong record at the beginning of `rest` is what is wrong. The checksum covers
// type and bytes but not the length: it fits fewer bytes than a wrong length says. Clients can make it fit fewer bytes
// of theirs, but not of what ends in the mark; a record that goes on in the next block has no other length than that.
bool has_wrong_length(std::string_view rest) {
  if (byte_at(rest, 6) == kFirst || byte_at(rest, 6) == kMiddle) return false;
  Crc32c crc;
  for (std::size_t i = 6; i < rest.size(); ++i) {
    crc.process_byte(byte_at(rest, i));
    if (crc.checksum() == stored_crc(rest)) return true;
  }
  return false;
}

// The mark at the end of a record; nothing if none is there, as at the end of an older version's.
std::string_view mark_of(std::string_view record) {
  constexpr std::size_t kSize = std::tuple_size_v<CommitMark>;
  constexpr std::array<char, 2> kLogData = {3, kSize};  // its tag in a write batch, and its length
  if (record.size() < kHeader + kLogData.size() + kSize) return {};
  const std::string_view end = record.substr(record.size() - kLogData.size() - kSize);
  const std::string_view mark = end.substr(kLogData.size());
  const bool written = std::all_of(mark.begin(), mark.end(), [](char c) { return (c & kMarkBits) == kMarkBits; });
  return written && end.starts_with(std::string_view(kLogData.data(), kLogData.size())) ? mark : std::string_view();
}

// Whether a sector is missing in the record that lies at `at` of its block and with which `rest` of it begins. Behind
// the last record that was begun there is nothing, so that its last sector counts up to its end.
bool lacks_sector(std::string_view rest, std::size_t at) {
  const std::size_t size = rest.size() < kHeader ? rest.size() : stored_size(rest);
  const std::size_t end = (at + size + kSector - 1) / kSector * kSector;
  return has_blank_sector(rest.substr(0, end - at), at);
}

class Walk {
 public:
  // `complete`: whether the last commit is known to have been written whole, see wal_files.h.
  explicit Walk(bool complete) : complete_(complete) {}

  // Takes the next block; false if there is damage in it, at end().
  bool take(std::string_view block, bool last) {
    if (torn_ && goes_on(block)) return damaged(0);
    std::size_t at = 0;
    while (kBlock - at >= kHeader && at < block.size()) {
      const std::string_view rest = block.substr(at);
      if (is_valid_record(rest)) {
        if (!follows(byte_at(rest, 6))) return damaged(at);
        const std::string_view record = rest.substr(0, stored_size(rest));
        if (!open_) record_ = start_ + at;
        open_ = byte_at(rest, 6) == kFirst || byte_at(rest, 6) == kMiddle;
        if (mark_.empty() && !open_) mark_ = mark_of(record);
        at += record.size();
        continue;
      }
      if (!all_zero(rest) && !is_torn(rest, at, last)) return damaged(at);
      if (!torn_) {
        end_ = open_ ? record_ : start_ + at;
        torn_ = true;
        if (goes_on(rest)) return false;
      }
      break;
    }
    start_ += block.size();
    return true;
  }

  std::uint64_t end() const {
    if (torn_) return end_;
    return open_ ? record_ : start_;  // the fragments of the last record may be valid, and its end not written
  }

 private:
  // Whether a fragment of this type may come next. Behind what is missing of a record there may be more of it, but no
  // other: that would only have been written once the record was on the disk.
  bool follows(std::uint8_t type) const {
    const bool continues = type == kMiddle || type == kLast;
    return torn_ ? !complete_ && continues : open_ == continues;
  }

  // Whether a power cut or a killed process can have left this where a record should start.
  bool is_torn(std::string_view rest, std::size_t at, bool last) const {
    const std::string_view header = rest.substr(0, kHeader);
    const bool has_header = header.size() == kHeader && !has_blank_sector(header, at);
    if (has_header && (!is_possible(rest, at) || has_wrong_length(rest))) return false;
    const bool cut = last && (header.size() < kHeader || stored_size(header) > rest.size());
    return cut || (!complete_ && lacks_sector(rest, at));
  }

  // Whether a record with the header of `rest`, which was written, may be there in part. One that goes on in the next
  // block fills this one; if its mark is there, it is where the record ends, and nothing is behind.
  bool is_possible(std::string_view rest, std::size_t at) const {
    const std::uint8_t type = byte_at(rest, 6);
    const std::size_t size = stored_size(rest);
    if (type < kFull || type > kLast || !follows(type) || at + size > kBlock) return false;
    if (at + size < kBlock && (type == kFirst || type == kMiddle)) return false;
    if (size < rest.size() && !all_zero(rest.substr(size))) return false;
    const std::size_t mark = mark_.empty() ? std::string_view::npos : rest.find(mark_);
    return mark == std::string_view::npos || mark + mark_.size() == size;
  }

  // Whether in or behind these bytes, which follow on the beginning of a record that is not whole, there is another
  // one: behind the mark at its end there is something.
  bool goes_on(std::string_view bytes) {
    if (mark_.empty()) return false;
    if (!ended_) {
      const std::size_t mark = bytes.find(mark_);
      if (mark == std::string_view::npos) return false;
      ended_ = true;
      bytes.remove_prefix(mark + mark_.size());
    }
    return !all_zero(bytes);
  }

  bool damaged(std::size_t at) {
    if (!torn_) end_ = start_ + at;
    torn_ = true;
    return false;
  }

  const bool complete_;
  std::uint64_t start_ = 0;   // of the block in the file
  std::uint64_t record_ = 0;  // where the current record's first fragment starts
  bool open_ = false;         // within a fragmented record
  bool torn_ = false;         // something of a record is missing, which starts here:
  std::uint64_t end_ = 0;
  bool ended_ = false;  // and its end has been seen
  std::string mark_{};  // of the log's commits, once one is known
};

}  // namespace

bool has_blank_sector(std::string_view bytes, std::uint64_t offset, int set_bits) {
  while (!bytes.empty()) {
    const std::size_t in_sector = std::min<std::size_t>(kSector - offset % kSector, bytes.size());
    int found = 0;
    for (std::size_t i = 0; i < in_sector && found <= set_bits; ++i) found += std::popcount(byte_at(bytes, i));
    if (found <= set_bits) return true;
    bytes.remove_prefix(in_sector);
    offset += in_sector;
  }
  return false;
}

CommitMark make_commit_mark(BitSource& bits) {
  std::array<std::uint8_t, std::tuple_size_v<CommitMark>> random{};
  bits.fill(random);
  CommitMark mark{};
  std::transform(random.begin(), random.end(), mark.begin(),
                 [](std::uint8_t byte) { return static_cast<char>(byte | kMarkBits); });
  return mark;
}

Result<std::uint64_t> end_of_wal(rocksdb::FileSystem& files, const std::string& path) {
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  HEARSAY_CHECK_OK(to_result(files.NewRandomAccessFile(path, {}, &file, nullptr)));
  std::uint64_t size = 0;
  HEARSAY_CHECK_OK(to_result(files.GetFileSize(path, {}, &size, nullptr)));

  std::string buffer(kBlock, '\0');
  Walk walk(size % kSector != 0);
  for (std::uint64_t offset = 0; offset < size; offset += kBlock) {
    const std::size_t length = std::min<std::uint64_t>(kBlock, size - offset);
    rocksdb::Slice block;
    HEARSAY_CHECK_OK(to_result(file->Read(offset, length, {}, &block, buffer.data(), nullptr)));
    if (block.size() != length) return Error{ErrorCode::kStoreFailed, path + " shrinks while it is read"};
    if (!walk.take({block.data(), length}, offset + length == size)) {
      return Error{ErrorCode::kStoreCorrupt, "the log " + path + " is damaged at offset " + std::to_string(walk.end())};
    }
  }
  return walk.end();
}

}  // namespace hearsay::aggregator
