// What a program does before anything else, so that a poor environment does no harm.
#pragma once

#include <string>

namespace hearsay::console {

// Opens /dev/null for each of the descriptors 0 to 2 that is closed. Otherwise the first file or socket that the
// program opens becomes its standard output or error, and messages are written into it. Reading or writing these
// placeholders fails, as it does with the closed descriptor. False if there is no /dev/null.
[[nodiscard]] bool fill_standard_descriptors();

// From now on an exception that nothing catches, on whatever thread, ends the process with exit status `status` after
// `report`, which gets one sentence about the exception. No destructor runs and nothing is unwound: RocksDB, if the
// system refuses it a thread, leaves locks behind that would hang its destructors.
void end_on_uncaught_exception(void (*report)(const std::string& what), int status);

}  // namespace hearsay::console
