#include <array>

#include "aggregator/store/copy/copy.h"
#include "common/base/try.h"
#include "common/random/hash.h"

namespace hearsay::store {
namespace {

// Identifies a set of reports independently of their order: by the number of reports, and by four sums over all
// reports. Each sum adds up one of the four 64-bit words of the reports' SHA-256.
struct Fingerprint {
  std::uint64_t reports = 0;
  std::array<std::uint64_t, 4> sums{};
  bool operator==(const Fingerprint&) const = default;

  void add(std::span<const std::uint8_t> encoded) {
    const Digest digest = sha256().digest(encoded);
    for (std::size_t i = 0; i < digest.size(); ++i) sums[i / 8] += std::uint64_t{digest[i]} << (8 * (i % 8));
    ++reports;
  }
};

Result<Fingerprint> fingerprint(const Store& store, const Task& task, UnixSeconds first_window) {
  Fingerprint sum;
  std::vector<std::uint8_t> encoded;
  HEARSAY_CHECK_OK(store.for_each_report(task, [&](const ReportView& report) -> Result<void> {
    if (task.window_of(report.time) < first_window) return {};
    encoded.clear();
    append_report({report.id, report.time, {report.payload.begin(), report.payload.end()}}, encoded);
    sum.add(encoded);
    return {};
  }));
  return sum;
}

// Returns the first window whose tallies differ; nothing if all tallies agree. Both stores cut tallies in the same way,
// see tally::Parts.
Result<std::optional<UnixSeconds>> different_window(const Store& from, const Store& to, const Task& task) {
  const std::unique_ptr<TallyReader> theirs = from.read_tallies(task);
  const std::unique_ptr<TallyReader> ours = to.read_tallies(task);
  for (;;) {
    HEARSAY_TRY(const std::optional<TallyPart> a, theirs->next());
    HEARSAY_TRY(const std::optional<TallyPart> b, ours->next());
    if (!a && !b) return std::optional<UnixSeconds>();
    if (!a || !b) return std::optional(a ? a->window : b->window);
    if (a->window != b->window) return std::optional(std::min(a->window, b->window));
    if (!(a->tally == b->tally)) return std::optional(a->window);
  }
}

}  // namespace

Result<std::vector<std::string>> differences(const Store& from, const Store& to) {
  std::vector<std::string> found;
  HEARSAY_TRY(const std::vector<StoredTask> tasks, from.tasks());
  HEARSAY_TRY(const std::vector<StoredTask> theirs, to.tasks());
  for (const StoredTask& stored : tasks) {
    const Task& task = stored.task;
    const std::string name = "task " + task.id().to_string() + ": ";
    const auto same_id = [&](const StoredTask& other) { return other.task.id() == task.id(); };
    const auto other = std::find_if(theirs.begin(), theirs.end(), same_id);
    if (other == theirs.end()) {
      found.push_back(name + "the other store lacks this task");
      continue;
    }
    if (other->closed_at != stored.closed_at)
      found.push_back(name + "it was not closed at the same time in both stores");
    HEARSAY_TRY(const SealedWindows sealed, from.sealed(task));
    HEARSAY_TRY(const SealedWindows sealed_there, to.sealed(task));
    if (sealed.before != sealed_there.before) found.push_back(name + "different windows are sealed");
    HEARSAY_TRY(const std::optional<UnixSeconds> window, different_window(from, to, task));
    if (window) found.push_back(name + "the tally of the window " + std::to_string(*window) + " differs");
    HEARSAY_TRY(const Fingerprint reports, fingerprint(from, task, sealed.before));
    HEARSAY_TRY(const Fingerprint reports_there, fingerprint(to, task, sealed.before));
    if (!(reports == reports_there)) {
      found.push_back(name + "its " + std::to_string(reports.reports) + " stored reports differ from the " +
                      std::to_string(reports_there.reports) + " stored reports of the other store");
    }
  }
  return found;
}

}  // namespace hearsay::store
