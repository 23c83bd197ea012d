// The reports that ThreadSanitizer suppresses, and why. The distribution's RocksDB is built without ThreadSanitizer. So
// ThreadSanitizer does not see its atomics, and takes its skip lists for races. It does see RocksDB's mutexes, so our
// own code around RocksDB stays checked. (`called_from_lib` would hide the mutexes.)
extern "C" const char* __tsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier): the sanitizer's name

extern "C" const char* __tsan_default_suppressions() { return "race:librocksdb.so\n"; }
