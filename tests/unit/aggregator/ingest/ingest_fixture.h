// What the tests of ingest share: a store whose appends can be held up or made to fail, and waiting for an answer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <stdexcept>

#include "aggregator/ingest/ingest.h"
#include "aggregator/tally/tally.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::ingest {

using namespace store::rocks::tests;  // NOLINT(google-build-using-namespace): the store's fixtures serve here too
using hearsay::tests::ManualClock;

// Passes everything on to another store.
class GatedStore final : public store::Store {
 public:
  enum class Mode { kPass, kFail, kThrow };

  explicit GatedStore(store::Store& store) : store_(store) {}

  // Appends wait from now on until open().
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
  // Blocks until that many appends have begun.
  void wait_for_appends(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sizes_.size() >= count; });
  }
  // Reports per append, in order.
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
    return store_.append(submissions, outcomes);
  }

  Result<void> add_task(const Task& task) override { return store_.add_task(task); }
  Result<void> close_task(const TaskId& id, UnixSeconds at) override { return store_.close_task(id, at); }
  Result<void> delete_task(const TaskId& id) override { return store_.delete_task(id); }
  Result<std::vector<store::StoredTask>> tasks() const override { return store_.tasks(); }
  bool tasks_changed() override { return store_.tasks_changed(); }
  Result<std::vector<ReportId>> lost_ids(const Task& task) const override { return store_.lost_ids(task); }
  Result<void> import_seal(const Task& task, UnixSeconds before) override { return store_.import_seal(task, before); }
  Result<void> import_tally(const Task& task, UnixSeconds window, const tally::Tally& tally) override {
    return store_.import_tally(task, window, tally);
  }
  bool healthy() const override { return healthy_ && store_.healthy(); }
  std::optional<Error> failure() const override { return store_.failure(); }
  Result<tally::Tally> tally(const Task& task, store::WindowRange range, const std::stop_token& stop) const override {
    return store_.tally(task, range, stop);
  }
  std::unique_ptr<store::TallyReader> read_tallies(const Task& task) const override {
    return store_.read_tallies(task);
  }
  store::TaskCounts counts(const Task& task) const override { return store_.counts(task); }
  Result<void> for_each_report(const Task& task,
                               const std::function<Result<void>(const ReportView&)>& visit) const override {
    return store_.for_each_report(task, visit);
  }
  Result<std::uint64_t> expire(UnixSeconds now) override { return store_.expire(now); }
  Result<store::SealedWindows> sealed(const Task& task) const override { return store_.sealed(task); }
  Result<store::BackupInfo> backup(const std::string& directory, std::uint32_t keep,
                                   const std::stop_token& stop) const override {
    return store_.backup(directory, keep, stop);
  }
  std::uint64_t sealed_ahead(UnixSeconds now) const override { return store_.sealed_ahead(now); }
  Result<void> note_clock(UnixSeconds now) override { return store_.note_clock(now); }
  std::optional<UnixSeconds> noted_clock() const override { return store_.noted_clock(); }
  Result<void> check_directory() override { return store_.check_directory(); }
  store::StoreStatistics statistics() const override { return store_.statistics(); }

 private:
  store::Store& store_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  Mode mode_ = Mode::kPass;
  std::atomic<bool> healthy_ = true;
  std::vector<std::size_t> sizes_;
};

// A copy of what Done was told.
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
  // A second call would throw.
  ingest.submit(std::make_shared<const store::StoredTask>(task), media_type, *kept,
                [promise, kept](const Result<UploadResult>& result) { promise->set_value(copy_of(result)); });
  return promise->get_future();
}

// "accepted", "replayed" or the error's name.
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

// An ingest over a store of its own, with one task, at two windows and a half after its start.
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
