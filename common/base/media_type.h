// Media types in Content-Type fields.
#pragma once

#include <string_view>

namespace hearsay {

inline constexpr std::string_view kJsonMediaType = "application/json";

// Returns true if the field's value `content_type` means `type`. Ignores parameters and the case of `content_type`:
// "Application/JSON ; charset=utf-8" means "application/json". `type` is in lower case and has no parameters.
bool means_media_type(std::string_view content_type, std::string_view type);

}  // namespace hearsay
