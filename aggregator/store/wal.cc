#include "aggregator/store/wal.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <memory>

#include "aggregator/store/status.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

constexpr std::size_t kBlock = 32'768;
constexpr std::size_t kHeader = 7;  // CRC-32C (4, little-endian, masked), length (2, little-endian), type (1)

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

// Whether the bytes are whole records and then, if anything, zeros.
bool is_chain(std::string_view bytes) {
  do {
    if (!is_valid_record(bytes)) return false;
    bytes.remove_prefix(stored_size(bytes));
  } while (!all_zero(bytes));
  return true;
}

// Whether `rest`, the end of a block, may begin with a record that was not written whole: not if its length is wrong.
bool may_be_unfinished(std::string_view rest) {
  if (rest.size() < kHeader) return true;
  // The checksum covers type and bytes but not the length: it fits fewer bytes than a wrong length says.
  Crc32c crc;
  for (std::size_t i = 6; i < rest.size(); ++i) {
    crc.process_byte(byte_at(rest, i));
    if (crc.checksum() == stored_crc(rest)) return false;
  }
  // Nor may whole records fill the block from some point on. (One valid record alone proves nothing: what a client puts
  // into its payload may look like one.)
  for (std::size_t i = 1; i + kHeader <= rest.size(); ++i) {
    if (is_chain(rest.substr(i))) return false;
  }
  return true;
}

// Whether a sector is missing in the record that lies at `at` of its block and with which `rest` of it begins. Behind the
// last record that was begun there is nothing, so that its last sector counts up to its end.
bool lacks_sector(std::string_view rest, std::size_t at) {
  const std::size_t size = rest.size() < kHeader ? rest.size() : stored_size(rest);
  const std::size_t end = (at + size + kSector - 1) / kSector * kSector;
  return has_blank_sector(rest.substr(0, end - at), at);
}

class Walk {
 public:
  // `over_zeros`: whether the last commit was written over zeros, see wal_files.h.
  explicit Walk(bool over_zeros) : over_zeros_(over_zeros) {}

  // Takes the next block; false if there is damage in it, at end().
  bool take(std::string_view block, bool last) {
    std::size_t at = 0;
    while (kBlock - at >= kHeader && at < block.size()) {
      const std::string_view rest = block.substr(at);
      if (is_valid_record(rest)) {
        if (!follows(byte_at(rest, 6))) return damaged(at);
        if (!open_) record_ = start_ + at;
        open_ = byte_at(rest, 6) == kFirst || byte_at(rest, 6) == kMiddle;
        at += stored_size(rest);
        continue;
      }
      if (!all_zero(rest) && !is_torn(rest, at, last)) return damaged(at);
      if (!torn_) end_ = open_ ? record_ : start_ + at;
      torn_ = true;
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
    return torn_ ? over_zeros_ && continues : open_ == continues;
  }

  // Whether a power cut or a killed process can have left this where a record should start.
  bool is_torn(std::string_view rest, std::size_t at, bool last) const {
    if (torn_ && !over_zeros_) return false;
    const bool cut = last && (rest.size() < kHeader || stored_size(rest) > rest.size());
    return (cut || (over_zeros_ && lacks_sector(rest, at))) && may_be_unfinished(rest);
  }

  bool damaged(std::size_t at) {
    if (!torn_) end_ = start_ + at;
    torn_ = true;
    return false;
  }

  const bool over_zeros_;
  std::uint64_t start_ = 0;   // of the block in the file
  std::uint64_t record_ = 0;  // where the current record's first fragment starts
  bool open_ = false;         // within a fragmented record
  bool torn_ = false;         // something of a record is missing, which starts here:
  std::uint64_t end_ = 0;
};

}  // namespace

bool has_blank_sector(std::string_view bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const std::size_t in_sector = std::min<std::size_t>(kSector - offset % kSector, bytes.size());
    if (all_zero(bytes.substr(0, in_sector))) return true;
    bytes.remove_prefix(in_sector);
    offset += in_sector;
  }
  return false;
}

Result<std::uint64_t> end_of_wal(rocksdb::FileSystem& files, const std::string& path) {
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  HEARSAY_CHECK_OK(to_result(files.NewRandomAccessFile(path, {}, &file, nullptr)));
  std::uint64_t size = 0;
  HEARSAY_CHECK_OK(to_result(files.GetFileSize(path, {}, &size, nullptr)));

  std::string buffer(kBlock, '\0');
  Walk walk(size % kSector == 0);
  for (std::uint64_t offset = 0; offset < size; offset += kBlock) {
    const std::size_t length = std::min<std::uint64_t>(kBlock, size - offset);
    rocksdb::Slice block;
    HEARSAY_CHECK_OK(to_result(file->Read(offset, length, {}, &block, buffer.data(), nullptr)));
    if (block.size() != length) return Error{ErrorCode::kStoreFailed, path + " shrinks while it is read"};
    if (!walk.take({block.data(), length}, offset + length == size)) {
      return Error{ErrorCode::kStoreCorrupt,
                   "the log " + path + " is damaged at offset " + std::to_string(walk.end())};
    }
  }
  return walk.end();
}

}  // namespace hearsay::aggregator
