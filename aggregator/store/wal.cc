#include "aggregator/store/wal.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <cstring>
#include <memory>
#include <string_view>

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

std::size_t stored_length(std::string_view record) { return byte_at(record, 4) + 256U * byte_at(record, 5); }

bool all_zero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

bool is_valid_record(std::string_view bytes) {
  if (bytes.size() < kHeader || byte_at(bytes, 6) < kFull || byte_at(bytes, 6) > kLast) return false;
  const std::size_t length = stored_length(bytes);
  if (length > bytes.size() - kHeader) return false;
  Crc32c crc;
  crc.process_bytes(bytes.data() + 6, 1 + length);
  return crc.checksum() == stored_crc(bytes);
}

bool is_chain(std::string_view records) {
  while (!records.empty()) {
    if (!is_valid_record(records)) return false;
    records.remove_prefix(kHeader + stored_length(records));
  }
  return true;
}

// Whether `rest`, the end of the file, is the beginning of a record that was never finished.
bool is_unfinished(std::string_view rest) {
  if (rest.size() < kHeader) return true;
  // The checksum covers type and bytes but not the length: if it fits fewer bytes than the length says, that is wrong.
  Crc32c crc;
  for (std::size_t i = 6; i < rest.size(); ++i) {
    crc.process_byte(byte_at(rest, i));
    if (crc.checksum() == stored_crc(rest)) return false;
  }
  // Nor may whole records fill the file from some point on. (One valid record alone proves nothing: what a client puts
  // into its payload may look like one.)
  for (std::size_t i = 1; i + kHeader <= rest.size(); ++i) {
    if (is_chain(rest.substr(i))) return false;
  }
  return true;
}

class Walk {
 public:
  // Takes the next block; false if there is nothing more to learn.
  bool take(std::string_view block, bool last) {
    if (zeros_) return all_zero(block) || stop(WalState::kDamaged, result_.offset);
    std::size_t at = 0;
    while (kBlock - at >= kHeader && at < block.size()) {
      const std::string_view rest = block.substr(at);
      if (rest.size() >= kHeader && all_zero(rest.substr(0, kHeader))) {
        zeros_ = true;
        return stop(all_zero(rest) ? WalState::kTorn : WalState::kDamaged, start_ + at) || all_zero(rest);
      }
      if (rest.size() < kHeader || stored_length(rest) > rest.size() - kHeader) {
        return stop(last && is_unfinished(rest) ? WalState::kTorn : WalState::kDamaged, start_ + at);
      }
      if (!is_valid_record(rest) || !follows(byte_at(rest, 6))) return stop(WalState::kDamaged, start_ + at);
      if (!open_) record_ = start_ + at;
      open_ = byte_at(rest, 6) == kFirst || byte_at(rest, 6) == kMiddle;
      at += kHeader + stored_length(rest);
    }
    start_ += block.size();
    return true;
  }

  WalInspection finish() const {
    // The fragments of the last record are valid but its end was not written.
    if (result_.state == WalState::kWhole && open_) return {WalState::kTorn, record_};
    return result_;
  }

 private:
  bool follows(std::uint8_t type) const { return open_ == (type == kMiddle || type == kLast); }

  bool stop(WalState state, std::uint64_t offset) {
    result_ = {state, offset};
    return false;
  }

  WalInspection result_;
  std::uint64_t start_ = 0;   // of the block in the file
  std::uint64_t record_ = 0;  // where the current record's first fragment starts
  bool open_ = false;         // within a fragmented record
  bool zeros_ = false;
};

}  // namespace

Result<WalInspection> inspect_wal(rocksdb::Env& env, const std::string& path) {
  std::unique_ptr<rocksdb::SequentialFile> file;
  HEARSAY_CHECK_OK(to_result(env.NewSequentialFile(path, &file, rocksdb::EnvOptions())));
  std::uint64_t size = 0;
  HEARSAY_CHECK_OK(to_result(env.GetFileSize(path, &size)));

  Walk walk;
  std::string buffer(kBlock, '\0');
  for (std::uint64_t offset = 0; offset < size; offset += kBlock) {
    const std::size_t want = std::min<std::uint64_t>(kBlock, size - offset);
    std::size_t have = 0;
    while (have < want) {
      rocksdb::Slice piece;
      HEARSAY_CHECK_OK(to_result(file->Read(want - have, &piece, buffer.data() + have)));
      if (piece.empty()) return Error{ErrorCode::kStoreFailed, path + " shrinks while it is read"};
      if (piece.data() != buffer.data() + have) std::memmove(buffer.data() + have, piece.data(), piece.size());
      have += piece.size();
    }
    if (!walk.take({buffer.data(), want}, offset + want == size)) break;
  }
  return walk.finish();
}

Result<std::vector<std::string>> wal_files(rocksdb::Env& env, const std::string& directory) {
  std::vector<std::string> names;
  HEARSAY_CHECK_OK(to_result(env.GetChildren(directory, &names)));
  constexpr std::string_view kSuffix = ".log";
  std::erase_if(names, [&](const std::string& name) {
    return name.size() <= kSuffix.size() || !name.ends_with(kSuffix) ||
           !std::all_of(name.begin(), name.end() - kSuffix.size(), [](char c) { return c >= '0' && c <= '9'; });
  });
  // Numbers have at least six digits, padded with zeros: longer ones are larger.
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  for (std::string& name : names) name.insert(0, directory + "/");
  return names;
}

}  // namespace hearsay::aggregator
