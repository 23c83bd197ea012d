// The files of a database, of which those of its log are written over zeros and read up to their last whole record.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>

namespace hearsay::aggregator {

// A synchronised write within a file costs one write on the disk; one that makes the file longer costs another for the
// file's new length, which small commits wait for as long as for their bytes. So the log is written over zeros, and in
// whole blocks, without a detour through the kernel's cache where the file system allows for that. A power
// cut then leaves zeros, sector by sector, of what it kept from being written, and end_of_wal() can tell such a record
// from a damaged one. But one that has a blank sector by itself, or nearly, would after damage elsewhere look as if it
// lacked that sector. So once such a commit has been synchronised, the zeros behind it are cut off and the file is
// synchronised again: the length of a log that ends in such a commit is no multiple of a sector, if need be by one zero,
// and that of any other is, until it is closed. After a write or a synchronisation that failed there is no other.
//
// A log that is being written ends where what was written ends, and any other where end_of_wal() says; either may be
// longer on the disk. Opening a damaged log gives Corruption. All other files are those of `files`.
std::shared_ptr<rocksdb::FileSystem> make_wal_files(const std::shared_ptr<rocksdb::FileSystem>& files);

}  // namespace hearsay::aggregator
