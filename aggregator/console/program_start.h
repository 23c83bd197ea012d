// What a program does before anything else, so that a poor environment does no harm.
#pragma once

#include <string>

namespace hearsay::console {

// Opens /dev/null for each of the descriptors 0 to 2 that is closed. Otherwise the next file or socket that the program
// opens would become its standard output or error, and messages would be written into it. Reading or writing these
// placeholders fails, as it does with a closed descriptor. Returns false if there is no /dev/null.
[[nodiscard]] bool fill_standard_descriptors();

// Makes an exception that nothing catches, on any thread, end the process: `report` gets one sentence about the
// exception, then the process exits with `status`. No destructor runs: if the system refuses RocksDB a thread, RocksDB
// leaves locks behind that would hang its destructors.
void end_on_uncaught_exception(void (*report)(const std::string& what), int status);

}  // namespace hearsay::console
