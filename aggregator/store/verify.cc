#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "aggregator/store/store.h"
#include "aggregator/tally/tally.h"
#include "common/base/try.h"

namespace hearsay::store {
namespace {

// Compares the stored parts of one window, one after another, with the tally that they should add up to.
class Comparison {
 public:
  explicit Comparison(tally::Tally expected) : expected_(std::move(expected)) {
    if (const auto* sampled = std::get_if<tally::SampledTally>(&expected_.kind())) entries_ = sampled->entries();
  }

  void add(const tally::Tally& part) {
    reports_ += part.reports();
    if (const auto* sampled = std::get_if<tally::SampledTally>(&part.kind())) {
      sampled->for_each([&](const tally::SampledTally::Entry& entry) {
        same_ = same_ && next_ < entries_.size() && entries_[next_] == entry;
        ++next_;
      });
    } else {
      same_ = same_ && part == expected_;
    }
  }

  std::uint64_t reports() const { return reports_; }
  std::uint64_t expected_reports() const { return expected_.reports(); }
  bool same() const { return same_ && next_ == entries_.size(); }

 private:
  tally::Tally expected_;
  std::vector<tally::SampledTally::Entry> entries_;  // for `sampled`
  std::size_t next_ = 0;                             // index in entries_
  std::uint64_t reports_ = 0;
  bool same_ = true;
};

// Compares one task's stored tallies with the tallies that its stored reports give, window by window.
class TaskVerifier {
 public:
  TaskVerifier(const Store& store, const Task& task, VerifyResult& result)
      : store_(store), task_(task), result_(result), name_("task " + task.id().to_string()) {}

  Result<void> run() {
    HEARSAY_TRY(sealed_, store_.sealed(task_));
    for (const auto& [window, reports] : sealed_.reports) {
      result_.sealed_reports += reports;
      if (window >= sealed_.before) {
        result_.differences.push_back(where(window) + "reports are missing although the window is open");
      }
      forgotten_.emplace(window, reports);
    }
    reader_ = store_.read_tallies(task_);
    HEARSAY_TRY(part_, reader_->next());
    HEARSAY_CHECK_OK(store_.for_each_report(task_, [&](const ReportView& report) { return take(report); }));
    if (expected_) HEARSAY_CHECK_OK(finish_window());
    while (part_) HEARSAY_CHECK_OK(compare(part_->window, tally::Tally::empty(task_.channel())));
    return check_lost_ids();
  }

 private:
  std::string where(UnixSeconds window) const { return name_ + ", window " + std::to_string(window) + ": "; }

  Result<void> take(const ReportView& report) {
    ++result_.reports;
    const UnixSeconds window = task_.window_of(report.time);
    if (expected_ && window != window_) HEARSAY_CHECK_OK(finish_window());
    ids_.push_back(report.id);
    if (!expected_) {
      window_ = window;
      expected_ = tally::Tally::empty(task_.channel());
    }
    if (auto added = expected_->add(task_.channel(), report.payload); !added) {
      result_.differences.push_back(name_ + ": the stored report " + report.id.to_string() +
                                    " does not fit the task: " + added.error().message);
    }
    return {};
  }

  // Compares the window. expected_ must count all reports of the window, and ids_ must hold their ids.
  Result<void> finish_window() {
    find_twice();
    while (part_ && part_->window < window_) {
      HEARSAY_CHECK_OK(compare(part_->window, tally::Tally::empty(task_.channel())));
    }
    tally::Tally expected = *std::move(expected_);
    expected_.reset();
    if (part_ && part_->window == window_) return compare(window_, std::move(expected));
    if (expected.reports() != 0) {  // if 0, take() has reported a difference for each report
      result_.differences.push_back(where(window_) + "there are " + std::to_string(expected.reports()) +
                                    " reports but no tally");
    }
    return {};
  }

  // Compares the window's parts. part_ must be the first of these parts.
  Result<void> compare(UnixSeconds window, tally::Tally expected) {
    Comparison comparison(std::move(expected));
    while (part_ && part_->window == window) {
      comparison.add(part_->tally);
      HEARSAY_TRY(part_, reader_->next());
    }
    const auto gone = forgotten_.find(window);
    const std::uint64_t reports = comparison.expected_reports() + (gone == forgotten_.end() ? 0 : gone->second);
    if (comparison.reports() != reports) {
      result_.differences.push_back(where(window) + "the tally counts " + std::to_string(comparison.reports()) +
                                    " reports, and there are " + std::to_string(reports));
    } else if (gone == forgotten_.end() && !comparison.same()) {
      result_.differences.push_back(where(window) +
                                    "the tally counts the right number of reports, but its sums are wrong");
    }
    return {};
  }

  void find_twice() {
    std::sort(ids_.begin(), ids_.end());
    for (auto twice = std::adjacent_find(ids_.begin(), ids_.end()); twice != ids_.end();
         twice = std::adjacent_find(twice + 1, ids_.end())) {
      result_.differences.push_back(where(window_) + "has the report " + twice->to_string() + " twice");
    }
    ids_.clear();
  }

  Result<void> check_lost_ids() {
    HEARSAY_TRY(const std::vector<ReportId> lost, store_.lost_ids(task_));
    for (const ReportId& id : lost) {
      result_.differences.push_back(name_ + ": the id of the report " + id.to_string() +
                                    " is lost, so a repeated report would count twice");
    }
    return {};
  }

  const Store& store_;
  const Task& task_;
  VerifyResult& result_;
  const std::string name_;
  SealedWindows sealed_;
  std::map<UnixSeconds, std::uint64_t> forgotten_;  // number of deleted reports of each sealed window
  std::unique_ptr<TallyReader> reader_;
  std::optional<TallyPart> part_;         // the next stored part
  UnixSeconds window_ = 0;                // the window of the reports being read
  std::optional<tally::Tally> expected_;  // the tally of these reports; nothing between two windows
  std::vector<ReportId> ids_;             // the ids of these reports
};

}  // namespace

Result<VerifyResult> verify(const Store& store) {
  VerifyResult result;
  HEARSAY_TRY(const auto tasks, store.tasks());
  for (const StoredTask& stored : tasks) {
    ++result.tasks;
    HEARSAY_CHECK_OK(TaskVerifier(store, stored.task, result).run());
  }
  return result;
}

}  // namespace hearsay::store
