// Joins the tallies and reports of all databases. If a database cannot be read, the call fails, and the error names the
// database.
#include <algorithm>
#include <map>

#include "aggregator/store/spread/report_merge.h"
#include "aggregator/store/spread/spread_store.h"
#include "common/base/number_text.h"
#include "common/base/try.h"

namespace hearsay::store::spread {
namespace {

// Returns the parts of all databases by ascending windows and pairs. Parts of one window that begin at the same pair
// are added up.
class PartMerge final : public TallyReader {
 public:
  PartMerge(const Task& task, const std::vector<std::unique_ptr<Lane>>& lanes) : parts_(task.channel()) {
    for (const auto& lane : lanes) sources_.push_back({&lane->member(), lane->member().store->read_tallies(task)});
  }

  void seek(UnixSeconds window, const tally::PartStart& from) override {
    for (Source& source : sources_) {
      source.reader->seek(window, from);
      source.part.reset();
      source.ended = false;
    }
  }

  Result<std::optional<TallyPart>> next() override {
    std::optional<Place> first;
    for (Source& source : sources_) {
      HEARSAY_CHECK_OK(fill(source));
      if (source.part && (!first || source.place < *first)) first = source.place;
    }
    std::optional<TallyPart> sum;
    if (!first) return sum;
    for (Source& source : sources_) {
      if (!source.part || source.place != *first) continue;
      if (sum) {
        HEARSAY_CHECK_OK(sum->tally.merge(source.part->tally));
      } else {
        sum = std::move(source.part);
      }
      source.part.reset();
    }
    return sum;
  }

 private:
  using Place = std::pair<UnixSeconds, tally::PartStart>;
  struct Source {
    const Member* member;
    std::unique_ptr<TallyReader> reader;
    std::optional<TallyPart> part{};  // the next part; unset until it was read
    Place place{};                    // where `part` begins
    bool ended = false;
  };

  Result<void> fill(Source& source) const {
    if (source.part || source.ended) return {};
    auto part = source.reader->next();
    if (!part) return source.member->named(part.error());
    source.part = *std::move(part);
    source.ended = !source.part;
    if (source.part) source.place = {source.part->window, start_of(source.part->tally)};
    return {};
  }

  tally::PartStart start_of(const tally::Tally& part) const {
    const auto* sampled = std::get_if<tally::SampledTally>(&part.kind());
    if (sampled == nullptr) return {};
    const auto entries = sampled->entries();
    return entries.empty() ? tally::PartStart() : parts_.of(entries.front().group, entries.front().answer);
  }

  const tally::Parts parts_;
  std::vector<Source> sources_;
};

}  // namespace

Result<tally::Tally> SpreadStore::tally(const Task& task, WindowRange range, const std::stop_token& stop) const {
  tally::Tally sum = tally::Tally::empty(task.channel());
  for (const auto& lane : lanes_) {
    const auto one = lane->member().store->tally(task, range, stop);
    if (!one) return lane->member().named(one.error());
    HEARSAY_CHECK_OK(sum.merge(*one));
    if (tally::Parts::pairs(sum) > options_.max_tally_pairs) {
      return Error{ErrorCode::kLimitExceeded, "the windows hold more than " +
                                                  with_separators(options_.max_tally_pairs) +
                                                  " different pairs of group and answer together (max_tally_pairs): "
                                                  "ask for fewer windows"};
    }
  }
  return sum;
}

std::unique_ptr<TallyReader> SpreadStore::read_tallies(const Task& task) const {
  return std::make_unique<PartMerge>(task, lanes_);
}

TaskCounts SpreadStore::counts(const Task& task) const {
  TaskCounts counts;
  for (const auto& lane : lanes_) {
    const TaskCounts one = lane->member().store->counts(task);
    counts.reports += one.reports;
    counts.windows = std::max(counts.windows, one.windows);
  }
  return counts;
}

Result<SealedWindows> SpreadStore::sealed(const Task& task) const {
  SealedWindows all;
  std::map<UnixSeconds, std::uint64_t> reports;
  for (const auto& lane : lanes_) {
    const auto one = lane->member().store->sealed(task);
    if (!one) return lane->member().named(one.error());
    all.before = std::max(all.before, one->before);
    for (const auto& [window, forgotten] : one->reports) reports[window] += forgotten;
  }
  all.reports.assign(reports.begin(), reports.end());
  return all;
}

Result<void> SpreadStore::for_each_report(const Task& task,
                                          const std::function<Result<void>(const ReportView&)>& visit) const {
  std::vector<const Member*> members;
  for (const auto& lane : lanes_) members.push_back(&lane->member());
  return visit_by_window(members, task, visit);
}

// A report that lies in another database than the map says counts as lost, because the store would not find the report
// when a client repeats it.
Result<std::vector<ReportId>> SpreadStore::lost_ids(const Task& task) const {
  const auto entries = map_.entries();
  std::vector<ReportId> lost;
  for (const auto& lane : lanes_) {
    auto of_lane = lane->member().store->lost_ids(task);
    if (!of_lane) return lane->member().named(of_lane.error());
    lost.insert(lost.end(), of_lane->begin(), of_lane->end());
    const auto visited = lane->member().store->for_each_report(task, [&](const ReportView& report) -> Result<void> {
      const MapEntry& entry = entry_of(*entries, task.window_of(report.time));
      if (server_of(entry, report.id) != lane->server()) lost.push_back(report.id);
      return {};
    });
    if (!visited) return lane->member().named(visited.error());
  }
  return lost;
}

}  // namespace hearsay::store::spread
