#include "sdk/upload/uploader.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "common/base/try.h"
#include "common/privacy/samplers.h"
#include "common/report/report.h"
#include "sdk/upload/verdict.h"

namespace hearsay::sdk {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kMinute{60'000};
constexpr milliseconds kLongestFlush = std::chrono::hours(24 * 365);

// Returns the wait after attempt number `attempt`. The random part keeps clients that failed at the same time from
// trying again at the same time.
milliseconds backoff(const RetryPolicy& policy, unsigned attempt, BitSource& bits) {
  milliseconds delay = policy.first;
  for (unsigned i = 1; i < attempt && delay < policy.largest; ++i) delay *= 2;
  delay = std::min(delay, policy.largest);
  const auto half = static_cast<std::uint64_t>(std::max<std::int64_t>(delay.count() / 2, 0));
  return delay - milliseconds(uniform_below(bits, half + 1));
}

}  // namespace

class Flush {
 public:
  Flush(Uploader& uploader, milliseconds deadline, Cancellation& cancellation, BitSource& bits)
      : uploader_(uploader),
        ledger_(uploader.dependencies_.ledger),
        clock_(uploader.dependencies_.clock),
        policy_(uploader.policy_),
        end_(clock_.steady() + std::min(deadline, kLongestFlush)),
        cancellation_(cancellation),
        bits_(bits),
        next_(uploader.not_before_) {}

  Result<FlushSummary> run() {
    HEARSAY_CHECK_OK(send_all());
    HEARSAY_CHECK_OK(learn_time());
    HEARSAY_TRY(const auto left, ledger_.outbox().pending(uploader_.task_, clock_.now(), kEveryReport));
    summary_.pending = left.size();
    return summary_;
  }

 private:
  using Reports = std::vector<PendingReport>;

  milliseconds left() { return end_ - clock_.steady(); }

  // Returns true if this flush may send nothing more. A cancellation becomes the summary's problem. A deadline that has
  // passed becomes the problem only if the summary has no other problem.
  bool over() {
    if (cancellation_.requested()) {
      summary_.problem = Error{ErrorCode::kCancelled, "the flush was cancelled"};
    } else if (left() <= milliseconds(0)) {
      if (!summary_.problem) summary_.problem = Error{ErrorCode::kTimedOut, "the time for the flush is over"};
    } else {
      return false;
    }
    return true;
  }

  // Asks the outbox anew before each request, so that no report is sent after the person has opted out.
  Result<void> send_all() {
    for (;;) {
      HEARSAY_TRY(const Reports reports, next_reports());
      if (reports.empty() || over()) return {};
      const milliseconds wait = time_to_wait();
      if (wait >= left()) return {};
      if (wait > milliseconds(0)) {
        clock_.wait(wait, cancellation_);
        continue;
      }
      HEARSAY_TRY(const bool go_on, send(reports));
      if (!go_on) return {};
    }
  }

  // Returns the reports of the next request: the oldest waiting ones, without those that this flush has put off.
  Result<Reports> next_reports() {
    HEARSAY_TRY(Reports reports,
                ledger_.outbox().pending(uploader_.task_, clock_.now(), kept_.size() + kMaxReportsPerRequest));
    std::erase_if(reports, [this](const PendingReport& report) { return kept_.contains(report.number); });
    std::size_t bytes = 0;
    const auto end = std::find_if(reports.begin(), reports.end(), [&bytes](const PendingReport& report) {
      return (bytes += report.bytes.size()) > kMaxBytesPerRequest;
    });
    const auto fit = static_cast<std::size_t>(end - reports.begin());
    const std::size_t most = separate_ > 0 ? 1 : std::clamp<std::size_t>(fit, 1, most_);
    reports.erase(reports.begin() + static_cast<std::ptrdiff_t>(std::min(most, reports.size())), reports.end());
    return reports;
  }

  // Returns how long the flush must still wait for the server's Retry-After, the backoff and the rate limit. If the
  // deadline comes first and the summary has no problem yet, the reason for the wait becomes the problem.
  milliseconds time_to_wait() {
    const milliseconds now = clock_.steady();
    auto& begun = uploader_.begun_;
    while (!begun.empty() && begun.front() <= now - kMinute) begun.pop_front();
    const bool at_limit = begun.size() >= std::max(policy_.max_uploads_per_minute, 1U);
    const milliseconds from = at_limit ? std::max(next_, begun.front() + kMinute) : next_;
    if (from <= now) return milliseconds(0);
    if (from - now >= left() && !summary_.problem) {
      const std::string seconds = std::to_string((from - now).count() / 1000 + 1);
      summary_.problem = from == uploader_.not_before_
                             ? Error{ErrorCode::kServerRefused,
                                     "the aggregator asked for a pause; " + seconds + " seconds of it are left"}
                             : Error{ErrorCode::kLimitExceeded,
                                     "this client has begun as many uploads as it may in a "
                                     "minute; the next one may begin in " +
                                         seconds + " seconds"};
    }
    return from - now;
  }

  // Returns false if the flush must end.
  Result<bool> send(const Reports& reports) {
    std::vector<std::uint8_t> body;
    for (const PendingReport& report : reports) body.insert(body.end(), report.bytes.begin(), report.bytes.end());
    uploader_.begun_.push_back(clock_.steady());
    const auto answer = uploader_.dependencies_.transport.post("/v1/tasks/" + uploader_.task_.to_string() + "/reports",
                                                               kReportsMediaType, body, {left(), &cancellation_});
    HEARSAY_CHECK_OK(note_time(answer));
    const Verdict verdict = judge(answer, policy_, body, reports.size() > 1);
    if (verdict.error) summary_.problem = verdict.error;
    if (verdict.action == Action::kRetry) return retry(verdict);
    attempts_ = 0;
    if (separate_ > 0) --separate_;
    switch (verdict.action) {
      case Action::kSettle:
        HEARSAY_CHECK_OK(settle(reports, ReportState::kDelivered, ""));
        if (kept_.empty() && summary_.dropped == 0) summary_.problem.reset();
        break;
      case Action::kDrop:
        HEARSAY_CHECK_OK(settle(reports, ReportState::kDropped, verdict.error->message));
        break;
      case Action::kCloseTask:
        return close(*verdict.error);
      case Action::kSeparate:
        separate_ = reports.size();
        break;
      case Action::kHalve:
        most_ = reports.size() / 2;
        break;
      case Action::kKeep:
        for (const PendingReport& report : reports) kept_.insert(report.number);
        break;
      case Action::kRetry:
      case Action::kStop:
        return false;
    }
    return true;
  }

  bool retry(const Verdict& verdict) {
    // The random part of the backoff separates clients that got the same Retry-After.
    next_ = clock_.steady() + backoff(policy_, ++attempts_, bits_) + verdict.at_least;
    if (verdict.retry_after) uploader_.not_before_ = next_;
    return attempts_ < policy_.max_attempts;
  }

  // Settles all reports in one transaction, since each transaction waits for the disk.
  Result<void> settle(const Reports& reports, ReportState state, const std::string& reason) {
    std::vector<Settlement> settled;
    for (const PendingReport& report : reports) settled.push_back({report.number, state, reason});
    HEARSAY_CHECK_OK(ledger_.outbox().settle(settled, clock_.now()));
    (state == ReportState::kDelivered ? summary_.delivered : summary_.dropped) += reports.size();
    return {};
  }

  Result<bool> close(const Error& error) {
    {
      const std::lock_guard lock(uploader_.mutex_);
      uploader_.closed_ = Error{ErrorCode::kTaskExpired, "the task takes no more reports: " + error.message};
    }
    HEARSAY_TRY(const Reports all, ledger_.outbox().pending(uploader_.task_, clock_.now(), kEveryReport));
    HEARSAY_CHECK_OK(settle(all, ReportState::kDropped, error.message));
    return false;
  }

  Result<void> note_time(const Result<TransportResponse>& answer) {
    if (!answer || !answer->date) return {};
    const auto noted = ledger_.note_server_time(*answer->date);
    if (!noted && noted.error().code == ErrorCode::kInvalidArgument) return {};
    HEARSAY_CHECK_OK(noted);
    const std::lock_guard lock(uploader_.mutex_);
    uploader_.time_wanted_ = false;
    return {};
  }

  // Fetches the task, only to see the answer's date. Does nothing unless ask_for_time() was called, and no answer has
  // told the time since.
  Result<void> learn_time() {
    {
      const std::lock_guard lock(uploader_.mutex_);
      if (!uploader_.time_wanted_) return {};
    }
    HEARSAY_TRY(const bool opted_out, ledger_.opted_out());
    if (opted_out || over() || time_to_wait() > milliseconds(0)) return {};
    uploader_.begun_.push_back(clock_.steady());
    const auto answer =
        uploader_.dependencies_.transport.get("/v1/tasks/" + uploader_.task_.to_string(), {left(), &cancellation_});
    HEARSAY_CHECK_OK(note_time(answer));
    const Verdict verdict = judge(answer, policy_, {}, false);
    if (!answer || verdict.action == Action::kRetry) summary_.problem = verdict.error;
    if (verdict.action == Action::kRetry) retry(verdict);
    return {};
  }

  Uploader& uploader_;
  Ledger& ledger_;
  Clock& clock_;
  const RetryPolicy& policy_;
  const milliseconds end_;  // end of the flush, as a time of Clock::steady()
  Cancellation& cancellation_;
  BitSource& bits_;
  milliseconds next_;
  unsigned attempts_ = 0;
  std::size_t most_ = kMaxReportsPerRequest;
  std::size_t separate_ = 0;     // this number of reports go next, each in a request of its own
  std::set<std::int64_t> kept_;  // numbers of the reports that wait for a later flush
  FlushSummary summary_;
};

Result<FlushSummary> Uploader::flush(milliseconds deadline, Cancellation& cancellation, BitSource& bits) {
  return Flush(*this, deadline, cancellation, bits).run();
}

void Uploader::ask_for_time() {
  const std::lock_guard lock(mutex_);
  time_wanted_ = true;
}

std::optional<Error> Uploader::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

}  // namespace hearsay::sdk
