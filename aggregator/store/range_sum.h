// The sum of the tallies of several windows, read part by part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

#include "aggregator/store/store.h"

namespace hearsay::store {

// A new reader of the task's windows that start before `to`. All readers that it makes look at one view.
using MakeTallyReader = std::function<Result<std::unique_ptr<TallyReader>>(UnixSeconds to)>;

// See Store::tally(). `max_pairs`: the most different pairs of the sum. Uses up to 65 readers at a time.
Result<tally::Tally> sum_windows(const Task& task, WindowRange range, const MakeTallyReader& make_reader,
                                 std::uint64_t max_pairs, const std::stop_token& stop);

}  // namespace hearsay::store
