// The reports that ThreadSanitizer suppresses. The distribution's RocksDB is built without ThreadSanitizer. So
// ThreadSanitizer does not see RocksDB's atomics, and reports races in RocksDB's skip lists. ThreadSanitizer does see
// RocksDB's mutexes, so our own code around RocksDB stays checked. (The suppression `called_from_lib` would hide the
// mutexes.)
extern "C" const char* __tsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier): the sanitizer's name

extern "C" const char* __tsan_default_suppressions() { return "race:librocksdb.so\n"; }
