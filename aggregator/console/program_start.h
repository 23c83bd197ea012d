// Protects a program from closed standard descriptors and from uncaught exceptions.
#pragma once

#include <string>

namespace hearsay::console {

// Opens /dev/null for each of the descriptors 0 to 2 that is closed. Otherwise the next file or socket that the program
// opens would become the program's standard output or error, and get its messages. Reading standard input and writing
// standard output or error then still fails, as with a closed descriptor. Returns false if there is no /dev/null.
[[nodiscard]] bool fill_standard_descriptors();

// After this call, an uncaught exception on any thread ends the process: the process calls `report` with a text about
// the exception, and exits with `status`. Destructors do not run, because they could hang: if RocksDB cannot start a
// thread, RocksDB does not release its locks.
void end_on_uncaught_exception(void (*report)(const std::string& what), int status);

}  // namespace hearsay::console
