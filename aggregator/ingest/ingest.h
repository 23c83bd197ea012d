// From a request body to durable, counted reports: decoding, checking and group commit.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "aggregator/store/store.h"
#include "hearsay/clock.h"
#include "hearsay/task.h"

namespace hearsay::ingest {

// What became of one report.
struct ReportStatus {
  enum class Kind : std::uint8_t {
    kAccepted,  // counted by this upload
    kReplayed,  // counted before, from the same bytes
    kRejected,  // not counted
  };
  Kind kind = Kind::kAccepted;
  ErrorCode reason{};  // of kRejected
  bool operator==(const ReportStatus&) const = default;
};

// What became of a body. The views last as long as the call that hands the result over.
struct UploadResult {
  const Task& task;
  UnixSeconds now;                         // the server's clock when the reports were checked
  std::span<const ReportView> reports;     // in the body's order
  std::span<const ReportStatus> statuses;  // one for each
  std::uint64_t accepted = 0;
  std::uint64_t replayed = 0;
  std::uint64_t rejected = 0;
};

// One sentence on a rejection. Holds nothing of the report.
std::string rejection_detail(ErrorCode reason, const Task& task, UnixSeconds now);

// Reports in JSON are for people: a larger body is refused with kBodyTooLarge, since its parsed form is many times its
// size.
inline constexpr std::size_t kMaxJsonBody = 1U << 20U;

struct IngestOptions {
  std::size_t max_queued_bytes = 64U << 20U;  // of bodies waiting for a commit; beyond it, uploads get kOverloaded
  // What one commit groups; a body with more is committed alone, never split.
  std::size_t max_batch_reports = 65'536;
  std::size_t max_batch_bytes = 8U << 20U;
  // A commit waits until half of the uploads that are on their way have come, but no longer than this.
  std::chrono::microseconds max_commit_delay{4000};
  std::uint64_t clock_skew_seconds = 300;  // how far ahead of the server's clock a client's may be
  // Whether the server's clock, which says `now`, is not to be trusted; called from the threads that submit. While it
  // is not, no report is refused for its time: the whole body is, with kClockUncertain, and nothing of it is stored.
  std::function<bool(UnixSeconds now)> clock_in_doubt = [](UnixSeconds) { return false; };
};

struct IngestCounters {  // since start, over all tasks
  std::uint64_t commits = 0;
  std::uint64_t accepted = 0;
  std::uint64_t replayed = 0;
  std::uint64_t rejected = 0;  // without those of a body refused whole, which are not counted
  std::uint64_t queued_bytes = 0;
  std::uint64_t queued_uploads = 0;
};

// How long the stages of an upload took; called from the threads that run them, must not block.
class IngestObserver {
 public:
  virtual ~IngestObserver() = default;
  virtual void decoded(std::chrono::nanoseconds took) = 0;  // and checked
  virtual void waited(std::chrono::nanoseconds took) = 0;   // of a commit's oldest upload, for its commit to begin
  virtual void committed(std::chrono::nanoseconds took, std::size_t reports, bool durable) = 0;
};

// Thread-safe. One thread of its own commits whatever is queued as one batch, over all tasks and connections.
class Ingest {
 public:
  // The result, or why the body was refused whole.
  using Done = std::function<void(const Result<UploadResult>&)>;

  // `store`, `clock` and `observer` (may be null) must outlive the object; `clock` is read from the threads that
  // submit.
  static std::unique_ptr<Ingest> start(store::Store& store, Clock& clock, const IngestOptions& options,
                                       IngestObserver* observer = nullptr);
  virtual ~Ingest() = default;

  // Takes a body of reports for the task (media type kReportsMediaType or application/json) and calls `done` once, from
  // this thread or the committing one, when every report of it is durable or refused. Until then `body` must stay. A
  // body that cannot be split into reports is refused whole with kReportMalformed; kUnsupportedMediaType,
  // kBodyTooLarge, kOverloaded, kStoreFailed, kTaskClosed, kClockUncertain likewise. Otherwise each report has its own
  // status: kReportWrongSize, kReportOutOfBounds, kReportTimeInvalid, kReportTooEarly (ahead of the clock by more than
  // the allowed skew), kTaskExpired, kReportExpired, kReportConflict; kClockUncertain if the report's window is sealed
  // although by the clock its time is not over.
  virtual void submit(std::shared_ptr<const store::StoredTask> task, std::string_view media_type, std::string_view body,
                      Done done) = 0;

  // Why a body of so many bytes would be refused at this moment, before it is read: kOverloaded, kStoreFailed.
  virtual Result<void> admits(std::uint64_t bytes) const = 0;

  virtual IngestCounters counters() const = 0;
  // Commits what is queued and refuses what comes after with kOverloaded. Idempotent.
  virtual void stop() = 0;
};

}  // namespace hearsay::ingest
