// What ThreadSanitizer is not to report. The distribution's RocksDB is built without it, so its atomics go unseen and
// its skip lists look like races. Its mutexes are seen: our own code around it stays checked. (`called_from_lib` would
// hide the mutexes.)
extern "C" const char* __tsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier): the sanitizer's name

extern "C" const char* __tsan_default_suppressions() { return "race:librocksdb.so\n"; }
