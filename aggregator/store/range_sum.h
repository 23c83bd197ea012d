// Adds up the tallies of several windows, part by part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

#include "aggregator/store/store.h"

namespace hearsay::store {

// Makes a reader of the task's windows that start before `to`. All readers from one such function see the same state of
// the store.
using MakeTallyReader = std::function<Result<std::unique_ptr<TallyReader>>(UnixSeconds to)>;

// Does the work of Store::tally(). `max_pairs`: limit on the different pairs in the sum. Uses up to 65 readers at a
// time.
Result<tally::Tally> sum_windows(const Task& task, WindowRange range, const MakeTallyReader& make_reader,
                                 std::uint64_t max_pairs, const std::stop_token& stop);

}  // namespace hearsay::store
