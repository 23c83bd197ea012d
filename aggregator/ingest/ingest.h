// From a request body to durable, counted reports: decoding, checking and group commit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/store/store.h"
#include "common/base/clock.h"
#include "hearsay/task.h"

namespace hearsay::aggregator {

// What became of one report, in the order of the body.
struct ReportOutcome {
  ReportId id;
  bool counted = false;            // this upload or an earlier one of the same bytes is in the tally
  bool replayed = false;           // it was there before
  std::optional<Error> rejection;  // set iff not counted
};

// Reports in JSON are for people: a larger body is refused with kBodyTooLarge, since its parsed form is many times its
// size.
inline constexpr std::size_t kMaxJsonBody = 1U << 20U;

// More reports in one body are refused with kLimitExceeded: what is kept of each, and answered, is larger than itself.
inline constexpr std::size_t kMaxBodyReports = 16'384;

struct IngestOptions {
  std::size_t max_queued_bytes = 64U << 20U;  // of bodies waiting for a commit; beyond it, uploads get kOverloaded
  std::size_t max_batch_reports = 65'536;     // reports in one commit; a body with more is committed alone, never split
  std::uint64_t clock_skew_seconds = 300;     // how far ahead of the server's clock a client's may be
};

struct IngestCounters {  // since start, over all tasks
  std::uint64_t commits = 0;
  std::uint64_t accepted = 0;
  std::uint64_t replayed = 0;
  std::uint64_t rejected = 0;  // without those of a body refused whole, which are not counted
  std::uint64_t queued_bytes = 0;
};

// Thread-safe. One thread of its own commits whatever is queued as one batch, over all tasks and connections.
class Ingest {
 public:
  using Done = std::function<void(Result<std::vector<ReportOutcome>>)>;

  // `store` and `clock` must outlive the object; `clock` is read from the threads that submit.
  static std::unique_ptr<Ingest> start(Store& store, Clock& clock, const IngestOptions& options);
  virtual ~Ingest() = default;

  // Takes a body of reports for the task (media type kReportsMediaType or application/json) and calls `done` once, from
  // this thread or the committing one, when every report of it is durable or refused. A body that cannot be split into
  // reports is refused whole with kReportMalformed; kUnsupportedMediaType, kOverloaded, kStoreFailed, kTaskClosed
  // likewise. Otherwise each report has its own outcome: kReportWrongSize, kReportOutOfBounds, kReportTimeInvalid,
  // kReportTooEarly (ahead of the clock by more than the allowed skew, or before task_start), kTaskExpired,
  // kReportConflict.
  virtual void submit(const StoredTask& task, std::string_view media_type, std::string body, Done done) = 0;

  virtual IngestCounters counters() const = 0;
  // Commits what is queued and refuses what comes after with kOverloaded. Idempotent.
  virtual void stop() = 0;
};

}  // namespace hearsay::aggregator
