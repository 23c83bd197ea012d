// Numbers in messages for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hearsay {

// "1,234,567".
std::string with_separators(std::uint64_t number);

// "1 user", "1,234 users": the number and the noun, whose plural ends with an s.
std::string counted(std::uint64_t number, std::string_view noun);

}  // namespace hearsay
