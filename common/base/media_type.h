// Media types in Content-Type fields.
#pragma once

#include <string_view>

namespace hearsay {

inline constexpr std::string_view kJsonMediaType = "application/json";

// Returns true if a Content-Type such as "Application/JSON ; charset=utf-8" means `type`, which is in lower case and
// has no parameters.
bool means_media_type(std::string_view content_type, std::string_view type);

}  // namespace hearsay
