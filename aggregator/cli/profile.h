// The profile: a file of the user with the server and the token, so that commands need not repeat them.
#pragma once

#include <optional>
#include <string>

#include "aggregator/cli/remote.h"
#include "hearsay/result.h"

namespace hearsay::cli {

// Returns $XDG_CONFIG_HOME/hearsay/profile.json, or ~/.config/hearsay/profile.json. Returns an empty text if the
// environment names neither directory.
std::string profile_path();

// Reads the profile. Returns nothing if there is no profile. Errors: kInvalidArgument (other users can read or change
// the file, another user owns the file, or the path is no regular file), and those of reading a JSON object; the
// message names the file.
Result<std::optional<Server>> read_profile(const std::string& path);

// Writes the profile atomically, and makes missing directories. Only the owner can read the file. Errors: kIo.
Result<void> write_profile(const std::string& path, const Server& server);

}  // namespace hearsay::cli
