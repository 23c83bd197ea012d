// Days in text.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hearsay {

// In which order year, month and day stand.
enum class DateOrder : std::uint8_t { kYearMonthDay, kDayMonthYear, kMonthDayYear };

// Reads a day, and perhaps a time of day, as format.md says. Nothing if the text is none, or the day does not exist.
std::optional<std::chrono::sys_days> day_from_text(std::string_view text, DateOrder order);

}  // namespace hearsay
