// A store that passes every call on to another store. Tests override some of the calls.
#pragma once

#include "aggregator/store/store.h"

namespace hearsay::tests {

class ForwardingStore : public store::Store {
 public:
  // `store` must outlive the object.
  explicit ForwardingStore(store::Store& store) : store_(store) {}

  Result<void> append(std::span<const store::Submission> submissions,
                      std::span<store::AppendOutcome> outcomes) override {
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
  bool healthy() const override { return store_.healthy(); }
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
  store::Expiry expire(UnixSeconds now) override { return store_.expire(now); }
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
};

}  // namespace hearsay::tests
