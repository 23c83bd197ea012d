// Shows and changes the map, for `hearsay store map`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/store/spread/spread.h"

namespace hearsay::store::spread {

// The state of the map, read from the rows of all databases together.
struct MapState {
  std::vector<MapEntry> entries;     // decided
  std::optional<MapEntry> proposed;  // the new entry of an unfinished change
  // The earliest start that every database would accept now for a new entry.
  UnixSeconds earliest = 0;
};
// Reads the map from all databases. Errors: kStoreFailed (names the database), kStoreCorrupt (two databases contradict
// each other).
Result<MapState> read_map(const std::vector<Member>& members, const Options& options);

// Adds an entry to the map: reports of windows that start at `from` or later are spread over `servers`, in this order.
// Without `from`, the entry begins at the earliest possible time. The first entry begins at 0. `members` must be all
// databases of the map and of the new entry.
//
// If an earlier call left an entry proposed, this call first completes that change. If the map then ends with these
// `servers`, the call does nothing more. Returns the new state of the map.
//
// Errors: kInvalidArgument (a database is missing or given twice; the start is too early or too late; a database has
// tasks but must be empty), kTaskConflict (a database refuses the entry, for example because it has meanwhile opened
// windows after `from`; if the database refuses for good, the entry was withdrawn), kStoreFailed (names the database;
// repeat the call to complete the change), kStoreCorrupt (two databases contradict each other).
Result<MapState> add_entry(const std::vector<Member>& members, const std::vector<std::string>& servers,
                           std::optional<UnixSeconds> from, const Options& options);

}  // namespace hearsay::store::spread
