// The files of a database, of which those of its log are written over zeros and read up to their last whole record.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>

namespace hearsay::aggregator {

// A synchronised write within a file costs one write on the disk; one that makes the file longer costs another for the
// file's new length, which small commits wait for as long as for their bytes. So the log is written over zeros. A power
// cut then leaves zeros, sector by sector, of what it kept from being written. That end_of_wal() can tell such a record
// from a damaged one, there are no zeros behind a commit that is zero throughout a sector by itself, nor behind the next;
// nor behind large commits, which gain nothing from them. A log with zeros behind is a whole number of sectors, and any
// other is not: one that would be gets a single zero more.
//
// A log that is read ends where end_of_wal() says, a log that is being written where what was written ends; either may
// be longer on the disk. Opening a damaged log gives Corruption. All other files are those of `files`. For threads of
// RocksDB alone, as its other file systems are.
std::shared_ptr<rocksdb::FileSystem> make_wal_files(const std::shared_ptr<rocksdb::FileSystem>& files);

}  // namespace hearsay::aggregator
