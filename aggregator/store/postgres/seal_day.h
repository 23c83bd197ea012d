// Chooses the partition that holds a window's reports; see format.md.
#pragma once

#include <cstdint>
#include <string>

#include "hearsay/clock.h"
#include "hearsay/task.h"

namespace hearsay::store::postgres {

inline constexpr std::uint64_t kSecondsPerDay = 86'400;
// Stands for windows that are never sealed.
inline constexpr std::int32_t kNever = -1;

// Returns a day, counted from 1970; the window can be sealed before the end of this day. Returns kNever if the window
// is never sealed. Depends only on the task and the window.
std::int32_t seal_day(const Task& task, UnixSeconds window);

// Returns the end of a partition's name: "20787", or "never".
std::string name_of_day(std::int32_t day);

}  // namespace hearsay::store::postgres
