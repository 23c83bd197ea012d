// Reads the configuration from a file.
#pragma once

#include <string>

#include "aggregator/daemon/config.h"

namespace hearsay::daemon {

// Reads and parses the file. Errors: kIo (not readable, or a directory), kLimitExceeded (more than 1 MiB), those of
// parse_config(). The message names the file, and the line of the fault if the line can be found.
Result<DaemonConfig> read_config_file(const std::string& path);

}  // namespace hearsay::daemon
