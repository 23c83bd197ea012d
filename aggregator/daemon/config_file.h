// Reads the configuration's file.
#pragma once

#include <string>

#include "aggregator/daemon/config.h"

namespace hearsay::daemon {

// Reads and parses the file. Errors: kIo (no file, or a directory), those of parse_config(). The message names the file
// and the line of the fault.
Result<DaemonConfig> read_config_file(const std::string& path);

}  // namespace hearsay::daemon
