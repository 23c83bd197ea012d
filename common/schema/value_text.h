// Reads and writes values of attributes as text for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hearsay/schema.h"

namespace hearsay {

// The texts that stand for a boolean attribute's values, for messages.
constexpr std::string_view kBooleanWords = "yes or no, true or false, 1 or 0 (also in capitals)";

// Returns the index of the value that `text` means, if there is one. A boolean is written as kBooleanWords says, a
// categorical value by its exact name, and an integer of a range in decimal digits, with a minus sign if it is
// negative.
std::optional<std::uint32_t> value_from_text(const Attribute& attribute, std::string_view text);

// Returns words to follow "must be" in a message: "an integer from 0 to 120", or the first names of a categorical
// attribute's values and how many other values there are. For a boolean, returns `boolean`.
std::string accepted_values(const Attribute& attribute, std::string_view boolean);

// Returns the heading of an attribute's values in a table for people: the title, or the name if there is none, and the
// unit: "Minutes on a bicycle (min)".
std::string heading(const Attribute& attribute);

}  // namespace hearsay
