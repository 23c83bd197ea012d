// The spread store, private to this folder and its tests.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "aggregator/store/spread/lane.h"
#include "aggregator/store/spread/spread.h"
#include "aggregator/store/spread/upkeep.h"

namespace hearsay::store::spread {

class SpreadStore final : public Store {
 public:
  // `rows`: the result of check_map().
  SpreadStore(const std::vector<Member>& members, std::vector<MapRow> rows, const Options& options);

  Result<void> add_task(const Task& task) override;
  Result<void> close_task(const TaskId& id, UnixSeconds at) override;
  Result<void> delete_task(const TaskId& id) override;
  Result<std::vector<StoredTask>> tasks() const override;
  bool tasks_changed() override;
  Result<void> append(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes) override;
  Expiry expire(UnixSeconds now) override;
  std::uint64_t sealed_ahead(UnixSeconds now) const override;
  Result<void> note_clock(UnixSeconds now) override;
  std::optional<UnixSeconds> noted_clock() const override;
  Result<void> check_directory() override;
  bool healthy() const override;
  std::optional<Error> failure() const override;
  Result<tally::Tally> tally(const Task& task, WindowRange range, const std::stop_token& stop = {}) const override;
  std::unique_ptr<TallyReader> read_tallies(const Task& task) const override;
  TaskCounts counts(const Task& task) const override;
  Result<SealedWindows> sealed(const Task& task) const override;
  Result<void> for_each_report(const Task& task,
                               const std::function<Result<void>(const ReportView&)>& visit) const override;
  Result<std::vector<ReportId>> lost_ids(const Task& task) const override;
  Result<void> import_seal(const Task& task, UnixSeconds before) override;
  Result<void> import_tally(const Task& task, UnixSeconds window, const tally::Tally& tally) override;
  Result<BackupInfo> backup(const std::string& directory, std::uint32_t keep,
                            const std::stop_token& stop) const override;
  StoreStatistics statistics() const override;

 private:
  Lane* find_lane(const std::string& server) const;
  Lane& head() const;
  // Changes a task in each database, the head last. Holds the head's lock, so that no other process changes tasks or
  // the map meanwhile.
  Result<void> change_tasks(const std::function<Result<void>(Store&)>& change);

  const Options options_;
  KnownMap map_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::mutex append_mutex_;  // held while append() runs
  // One object for each kind of upkeep, so that a kind that takes long does not delay the other kinds.
  Upkeep expiries_;
  Upkeep clock_notes_;
  Upkeep checks_;
};

}  // namespace hearsay::store::spread
