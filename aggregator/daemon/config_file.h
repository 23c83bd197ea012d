// Reads the configuration's file.
#pragma once

#include <string>

#include "aggregator/daemon/config.h"

namespace hearsay::daemon {

// Errors: kIo (no file, or a directory), those of parse_config(). The message names the file, and the line of what is
// wrong in it.
Result<DaemonConfig> read_config_file(const std::string& path);

}  // namespace hearsay::daemon
