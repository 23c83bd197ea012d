// The row of the map that each database keeps, and the changes that a row accepts. format.md shows why no report is
// counted twice under these rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/report/report.h"
#include "hearsay/clock.h"
#include "hearsay/result.h"

namespace hearsay::store::spread {

// Says which databases take the reports of the windows that start at `from` or later and before the next entry's
// `from`.
struct MapEntry {
  std::uint64_t version = 0;         // 1 for the first entry
  UnixSeconds from = 0;              // 0 for the first entry
  std::vector<std::string> servers;  // identities of databases, each once
  bool operator==(const MapEntry&) const = default;
};

// The row of one database.
struct MapRow {
  std::vector<MapEntry> entries;     // decided, ascending
  std::optional<MapEntry> proposed;  // accepted here, but perhaps not elsewhere
  UnixSeconds opened_before = 0;     // the database takes only reports of windows that start before this time
  std::uint64_t max_ahead = 0;       // the largest Options::max_ahead with which windows were opened
  bool operator==(const MapRow&) const = default;
};

// Returns the entry to which a window belongs. `entries` must not be empty.
const MapEntry& entry_of(const std::vector<MapEntry>& entries, UnixSeconds window);
// Returns the server in `entry` that keeps the report.
const std::string& server_of(const MapEntry& entry, const ReportId& id);
// Returns every server of the entries, each once, in order of appearance.
std::vector<std::string> servers_of(const std::vector<MapEntry>& entries);
// Returns true if one of the lists begins with the other.
bool agree(const std::vector<MapEntry>& a, const std::vector<MapEntry>& b);

// The following functions change a row. A repeated change does nothing more.

// Raises opened_before to `before`, but not above `latest`, and not above the start of a proposed entry.
void open_until(MapRow& row, UnixSeconds before, UnixSeconds latest);
// Accepts `entry`, which follows `decided`. Does nothing if the entry is decided here. Errors: kTaskConflict (the row
// refuses the entry, perhaps only for now; see refuses_for_good()), kInvalidArgument (the entry cannot follow
// `decided`).
Result<void> propose(MapRow& row, const std::vector<MapEntry>& decided, const MapEntry& entry);
// Decides the proposed entry. Does nothing if the entry is decided here. Errors: kTaskConflict (the entry is not
// proposed here).
Result<void> decide(MapRow& row, const MapEntry& entry);
void withdraw(MapRow& row, const MapEntry& entry);
// Takes over entries that another row has decided. Errors: kStoreCorrupt (the row contradicts the entries).
Result<void> catch_up(MapRow& row, const std::vector<MapEntry>& decided);

// Returns true if the entry is proposed or decided in this row.
bool has_accepted(const MapRow& row, const MapEntry& entry);
// Returns true if the row has not accepted the entry and never will.
bool refuses_for_good(const MapRow& row, const MapEntry& entry);

// Returns the JSON document of format.md. `server`: the identity of the database that keeps the row.
std::string encode(const MapRow& row, const std::string& server);
// Parses the document. Errors: kStoreCorrupt (also if the row belongs to another server).
Result<MapRow> decode(std::string_view document, const std::string& server);

}  // namespace hearsay::store::spread
