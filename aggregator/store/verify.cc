#include <algorithm>
#include <map>
#include <vector>

#include "aggregator/store/store.h"
#include "aggregator/tally/tally.h"
#include "common/base/try.h"

namespace hearsay::store {
namespace {

// Compares one task's stored tallies with those its stored reports give.
Result<void> verify_task(const Store& store, const Task& task, VerifyResult& result) {
  const std::string name = "task " + task.id().to_string();
  std::map<UnixSeconds, tally::Tally> expected;
  std::vector<ReportId> ids;
  HEARSAY_CHECK_OK(store.for_each_report(task, [&](const ReportView& report) -> Result<void> {
    ++result.reports;
    ids.push_back(report.id);
    tally::Tally& tally =
        expected.try_emplace(task.window_of(report.time), tally::Tally::empty(task.channel())).first->second;
    if (auto added = tally.add(task.channel(), report.payload); !added) {
      result.differences.push_back(name + ": the stored report " + report.id.to_string() +
                                   " is none of this task's: " + added.error().message);
    }
    return {};
  }));
  std::sort(ids.begin(), ids.end());
  for (auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end();
       twice = std::adjacent_find(twice + 1, ids.end())) {
    result.differences.push_back(name + " has the report " + twice->to_string() + " twice");
  }
  HEARSAY_TRY(const std::vector<ReportId> lost, store.lost_ids(task));
  for (const ReportId& id : lost) {
    result.differences.push_back(name + ": the id of the report " + id.to_string() +
                                 " is lost, a copy would count twice");
  }
  HEARSAY_TRY(const SealedWindows sealed, store.sealed(task));
  const std::map<UnixSeconds, std::uint64_t> forgotten(sealed.reports.begin(), sealed.reports.end());
  for (const auto& [window, reports] : forgotten) {
    result.sealed_reports += reports;
    if (window >= sealed.before) {
      result.differences.push_back(name + ", window " + std::to_string(window) + ": reports are gone, and it is open");
    }
  }
  HEARSAY_TRY(const auto stored, store.window_tallies(task));
  for (const auto& [window, tally] : stored) {
    const auto found = expected.find(window);
    const tally::Tally recomputed = found == expected.end() ? tally::Tally::empty(task.channel()) : found->second;
    if (found != expected.end()) expected.erase(found);
    const std::string where = name + ", window " + std::to_string(window) + ": ";
    const auto gone = forgotten.find(window);
    const std::uint64_t reports = recomputed.reports() + (gone == forgotten.end() ? 0 : gone->second);
    if (tally.reports() != reports) {
      result.differences.push_back(where + "the tally counts " + std::to_string(tally.reports()) +
                                   " reports, and there are " + std::to_string(reports));
    } else if (gone == forgotten.end() && tally != recomputed) {
      result.differences.push_back(where + "the tally has as many reports as there are, but other sums");
    }
  }
  for (const auto& [window, tally] : expected) {
    if (tally.reports() == 0) continue;  // of reports named above
    result.differences.push_back(name + ", window " + std::to_string(window) + ": there are " +
                                 std::to_string(tally.reports()) + " reports but no tally");
  }
  return {};
}

}  // namespace

Result<VerifyResult> verify(const Store& store) {
  VerifyResult result;
  HEARSAY_TRY(const auto tasks, store.tasks());
  for (const StoredTask& stored : tasks) {
    ++result.tasks;
    HEARSAY_CHECK_OK(verify_task(store, stored.task, result));
  }
  return result;
}

}  // namespace hearsay::store
