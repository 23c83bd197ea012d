// Reading a write-ahead log as a crash leaves it.
#pragma once

#include <rocksdb/file_system.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/random/bit_source.h"
#include "hearsay/result.h"

namespace hearsay::aggregator {

// What a disk writes whole or not at all: bytes, a multiple of them for most.
inline constexpr std::size_t kSector = 512;

// Whether within some sector what `bytes`, which lie at `offset` of a file, have in it is all zero but for at most
// `set_bits` bits.
bool has_blank_sector(std::string_view bytes, std::uint64_t offset, int set_bits = 0);

// Every commit ends in a mark, as log data of its batch, that only the process knows which writes the log: no client
// can put one into a payload, so that behind a mark another commit begins. Each byte has two set bits or more.
using CommitMark = std::array<char, 16>;
CommitMark make_commit_mark(BitSource& bits);  // throws EntropyError

// Where the whole records of a log of RocksDB 7 end (blocks of 32 KiB; records of CRC-32C, length, type and bytes that
// do not cross blocks; no recycling, no compression), which wal_files.h wrote: at its end, or before a last record that
// was not written whole, or before zeros. Reads the file once. Errors: kStoreCorrupt if what is there cannot come from
// a write that was broken off, with file and offset; kStoreFailed if it cannot be read. See format.md, "Damage".
Result<std::uint64_t> end_of_wal(rocksdb::FileSystem& files, const std::string& path);

}  // namespace hearsay::aggregator
