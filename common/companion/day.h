// Reads days from text.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hearsay {

// The order in which a text gives year, month and day.
enum class DateOrder : std::uint8_t { kYearMonthDay, kDayMonthYear, kMonthDayYear };

// Reads a day, and perhaps a time of day, as format.md says. Returns nothing if the text is no day, or the day does not
// exist.
std::optional<std::chrono::sys_days> day_from_text(std::string_view text, DateOrder order);

}  // namespace hearsay
