// What the tests of ingest share: a store whose appends can be delayed or made to fail, and a wait for an answer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <stdexcept>

#include "aggregator/ingest/ingest.h"
#include "aggregator/tally/tally.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::ingest {

using namespace store::rocks::tests;  // NOLINT(google-build-using-namespace): the store's fixtures serve here too
using hearsay::tests::ManualClock;

class GatedStore final : public hearsay::tests::ForwardingStore {
 public:
  // kLate: an append of several reports works, but the outcome of its first report is kUnavailable.
  enum class Mode { kPass, kFail, kThrow, kLate };

  explicit GatedStore(store::Store& store) : ForwardingStore(store) {}

  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void set_mode(Mode mode) {
    const std::lock_guard lock(mutex_);
    mode_ = mode;
  }
  void wait_for_appends(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sizes_.size() >= count; });
  }
  std::vector<std::size_t> sizes() {
    const std::lock_guard lock(mutex_);
    return sizes_;
  }
  void set_healthy(bool healthy) { healthy_ = healthy; }

  Result<void> append(std::span<const store::Submission> submissions,
                      std::span<store::AppendOutcome> outcomes) override {
    Mode mode{};
    {
      std::unique_lock lock(mutex_);
      sizes_.push_back(submissions.size());
      changed_.notify_all();
      changed_.wait(lock, [&] { return open_; });
      mode = mode_;
    }
    if (mode == Mode::kThrow) throw std::runtime_error("no memory");
    if (mode == Mode::kFail) return Error{ErrorCode::kStoreCorrupt, "planted"};
    auto appended = ForwardingStore::append(submissions, outcomes);
    if (mode == Mode::kLate && submissions.size() > 1) outcomes.front() = store::AppendOutcome::kUnavailable;
    return appended;
  }

  bool healthy() const override { return healthy_ && ForwardingStore::healthy(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  Mode mode_ = Mode::kPass;
  std::atomic<bool> healthy_ = true;
  std::vector<std::size_t> sizes_;
};

struct Outcome {
  ReportId id;
  ReportStatus status;
};
using Answer = Result<std::vector<Outcome>>;

inline std::string cbor(const std::vector<Report>& reports) {
  std::vector<std::uint8_t> bytes;
  for (const Report& report : reports) append_report(report, bytes);
  return {bytes.begin(), bytes.end()};
}

inline Answer copy_of(const Result<UploadResult>& result) {
  if (!result) return result.error();
  CHECK(result->reports.size() == result->statuses.size());
  std::vector<Outcome> outcomes;
  std::map<ReportStatus::Kind, std::uint64_t> kinds;
  for (std::size_t i = 0; i < result->reports.size(); ++i) {
    outcomes.push_back({result->reports[i].id, result->statuses[i]});
    ++kinds[result->statuses[i].kind];
  }
  CHECK(result->accepted == kinds[ReportStatus::Kind::kAccepted]);
  CHECK(result->replayed == kinds[ReportStatus::Kind::kReplayed]);
  CHECK(result->rejected == kinds[ReportStatus::Kind::kRejected]);
  return outcomes;
}

inline std::future<Answer> submit(Ingest& ingest, const store::StoredTask& task, std::string body,
                                  std::string_view media_type = kReportsMediaType) {
  const auto promise = std::make_shared<std::promise<Answer>>();
  const auto kept = std::make_shared<const std::string>(std::move(body));
  // A second call of Done would throw.
  ingest.submit(std::make_shared<const store::StoredTask>(task), media_type, *kept,
                [promise, kept](const Result<UploadResult>& result) { promise->set_value(copy_of(result)); });
  return promise->get_future();
}

inline std::string name_of(const Outcome& outcome) {
  switch (outcome.status.kind) {
    case ReportStatus::Kind::kAccepted:
      return "accepted";
    case ReportStatus::Kind::kReplayed:
      return "replayed";
    case ReportStatus::Kind::kRejected:
      return std::string(error_name(outcome.status.reason));
  }
  return "";
}

inline std::vector<std::string> names(const Answer& answer) {
  if (!answer) return {"whole body: " + std::string(error_name(answer.error().code))};
  std::vector<std::string> result;
  for (const Outcome& outcome : *answer) result.push_back(name_of(outcome));
  return result;
}

struct IngestFixture {
  explicit IngestFixture(IngestOptions options = {}, std::size_t attributes = 3)
      : task(make_task("ingest", attributes)), store(open_store(dir / "s")), gate(*store) {
    REQUIRE(store->add_task(task));
    ingest = Ingest::start(gate, clock, options);
  }

  std::vector<std::string> send(std::string body, std::string_view media_type = kReportsMediaType) {
    return names(submit(*ingest, stored(), std::move(body), media_type).get());
  }
  store::StoredTask stored() const { return {task, std::nullopt}; }

  TemporaryDirectory dir;
  Task task;
  std::unique_ptr<store::Store> store;
  GatedStore gate;
  ManualClock clock{kStart + 5 * kPrecision / 2};
  std::unique_ptr<Ingest> ingest;
};

using Names = std::vector<std::string>;

}  // namespace hearsay::ingest
