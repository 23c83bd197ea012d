// The profile: the server and token of the person who uses `hearsay`, kept from one command to the next.
#pragma once

#include <optional>
#include <string>

#include "aggregator/cli/remote.h"
#include "hearsay/result.h"

namespace hearsay::cli {

// $XDG_CONFIG_HOME/hearsay/profile.json, or ~/.config/hearsay/profile.json. Empty if the environment names neither
// directory.
std::string profile_path();

// Reads the profile. Nothing if there is none. Errors: kInvalidArgument (others may read or change the file; another
// person owns it), those of reading a JSON object; the message names the file.
Result<std::optional<Server>> read_profile(const std::string& path);

// Writes the profile in one step, readable to its owner alone, with the directories it needs. Errors: kIo.
Result<void> write_profile(const std::string& path, const Server& server);

}  // namespace hearsay::cli
