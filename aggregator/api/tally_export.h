// The call `GET …/tally`: a task's tallies as JSON or CSV, page by page.
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
  // Where the page begins; nothing: with the first window. As the page before names it.
  struct Place {
    UnixSeconds window = 0;
    tally::PartStart part;
  };
  std::optional<Place> at;
};

// Of a request's query string (`format`, `from`, `to`, `at`) and Accept. Errors: those of parse_parameters(),
// kInvalidArgument.
Result<TallyExport> parse_tally_export(std::string_view query, std::string_view accept);

// Pairs or coordinates of a page: about 12 MB of JSON. A page ends with the part in which it reaches them.
inline constexpr std::size_t kPageCounts = std::size_t{1} << 18U;

// The page of the store's tallies that was asked for (aggregator/docs/api.md, section "Tally"). Where more follows, the
// page names the next one. Memory: the page. Errors: kStoreCorrupt, kStoreFailed.
Result<http::HttpResponse> export_tally(const store::Store& store, const Task& task, const TallyExport& request,
                                        std::size_t page_counts = kPageCounts);

}  // namespace hearsay::api
