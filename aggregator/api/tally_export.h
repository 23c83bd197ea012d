// Answers the call `GET …/tally`: a task's tallies as JSON or CSV, page by page.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "aggregator/http/message.h"
#include "aggregator/store/store.h"
#include "hearsay/task.h"

namespace hearsay::api {

struct TallyExport {
  bool csv = false;
  store::WindowRange range;
  // The place where a page begins. The previous page names this place.
  struct Place {
    UnixSeconds window = 0;
    tally::PartStart part;
  };
  std::optional<Place> at;
};

// Reads the request's query string (`format`, `from`, `to`, `at`) and its Accept field. Errors: those of
// parse_parameters(), kInvalidArgument.
Result<TallyExport> parse_tally_export(std::string_view query, std::string_view accept);

// How many (group, answer) pairs or coordinates fill a page: about 12 MB of JSON. A page ends after the part that
// reaches this number.
inline constexpr std::size_t kPageCounts = std::size_t{1} << 18U;

// Returns a page of the store's tallies (aggregator/docs/api.md, section "Tally"), beginning at `request.at`, or at the
// first window. If more tallies follow, the page has a link to the next page. Memory: one page. Errors: kStoreCorrupt,
// kStoreFailed.
Result<http::HttpResponse> export_tally(const store::Store& store, const Task& task, const TallyExport& request,
                                        std::size_t page_counts = kPageCounts);

}  // namespace hearsay::api
