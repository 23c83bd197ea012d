// Numbers in messages for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hearsay {

// Returns the number as "1,234,567".
std::string with_separators(std::uint64_t number);

// Returns the number and the noun: "1 user", "1,234 users". The noun's plural must be the noun followed by an s.
std::string counted(std::uint64_t number, std::string_view noun);

}  // namespace hearsay
