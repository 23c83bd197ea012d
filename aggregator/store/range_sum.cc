#include "aggregator/store/range_sum.h"

#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/tally/tally.h"
#include "common/base/try.h"

namespace hearsay::store {
namespace {

using Entry = tally::SampledTally::Entry;

// How many windows one pass adds up. Each of these windows has a reader and a part in memory.
constexpr std::size_t kWindowsAtOnce = 64;

auto pair_of(const Entry& entry) { return std::pair(entry.group, entry.answer); }

class RangeSum {
 public:
  RangeSum(const Task& task, WindowRange range, const MakeTallyReader& make_reader, std::uint64_t max_pairs,
           const std::stop_token& stop)
      : task_(task), range_(range), make_reader_(make_reader), max_pairs_(max_pairs), stop_(stop) {}

  Result<tally::Tally> run() {
    if (std::holds_alternative<LaplaceChannel>(task_.channel().kind())) return of_laplace();
    HEARSAY_TRY(const std::unique_ptr<TallyReader> windows, make_reader_(range_.to));
    tally::SampledTally sum;
    for (UnixSeconds from = range_.from;;) {
      std::vector<Source> sources;
      while (sources.size() < kWindowsAtOnce) {
        windows->seek(from, {});
        HEARSAY_TRY(const std::optional<TallyPart> first, windows->next());
        if (!first) break;
        from = first->window + 1;
        HEARSAY_TRY(Source source, source_of(first->window));
        sources.push_back(std::move(source));
      }
      if (sources.empty()) return tally::Tally(std::move(sum));
      HEARSAY_TRY(sum, merged(std::move(sum), sources));
    }
  }

 private:
  // The entries of one window, or of the sum of earlier windows.
  struct Source {
    std::unique_ptr<TallyReader> reader;  // null if there are no further parts
    std::vector<Entry> entries;
    std::size_t next = 0;

    // Reads further parts if necessary. Returns true if there is an entry at `next`.
    Result<bool> fill() {
      while (next == entries.size() && reader) {
        HEARSAY_TRY(std::optional<TallyPart> part, reader->next());
        if (!part) break;
        entries = std::get<tally::SampledTally>(std::move(part->tally).kind()).entries();
        next = 0;
      }
      return next < entries.size();
    }
  };

  Result<tally::Tally> of_laplace() {
    tally::Tally sum = tally::Tally::empty(task_.channel());
    HEARSAY_TRY(const std::unique_ptr<TallyReader> reader, make_reader_(range_.to));
    reader->seek(range_.from, {});
    for (;;) {
      if (stop_.stop_requested()) return stopped();
      HEARSAY_TRY(const std::optional<TallyPart> part, reader->next());
      if (!part) return sum;
      HEARSAY_CHECK_OK(sum.merge(part->tally));
    }
  }

  Result<Source> source_of(UnixSeconds window) {
    HEARSAY_TRY(std::unique_ptr<TallyReader> reader, make_reader_(window + 1));
    reader->seek(window, {});
    return Source{std::move(reader), {}, 0};
  }

  Result<tally::SampledTally> merged(tally::SampledTally sum, std::vector<Source>& sources) const {
    if (sum.reports() != 0) sources.push_back({nullptr, std::move(sum).entries(), 0});
    const auto later = [&](std::size_t a, std::size_t b) {
      return pair_of(sources[a].entries[sources[a].next]) > pair_of(sources[b].entries[sources[b].next]);
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> queue(later);
    const auto enqueue = [&](std::size_t i) -> Result<void> {
      HEARSAY_TRY(const bool more, sources[i].fill());
      if (more) queue.push(i);
      return {};
    };
    for (std::size_t i = 0; i < sources.size(); ++i) HEARSAY_CHECK_OK(enqueue(i));
    tally::SampledTallyBuilder builder;
    while (!queue.empty()) {
      if (stop_.stop_requested()) return stopped();
      const std::size_t i = queue.top();
      queue.pop();
      HEARSAY_CHECK_OK(builder.add(sources[i].entries[sources[i].next++]));
      if (builder.pairs() > max_pairs_) return too_many();
      HEARSAY_CHECK_OK(enqueue(i));
    }
    sources.clear();
    return builder.finish();
  }

  static Error stopped() { return {ErrorCode::kCancelled, "adding the tallies up was stopped"}; }

  Error too_many() const {
    return {ErrorCode::kLimitExceeded, "the windows hold more than " + std::to_string(max_pairs_) +
                                           " different pairs of group and answer together (max_tally_pairs): ask for "
                                           "fewer windows"};
  }

  const Task& task_;
  const WindowRange range_;
  const MakeTallyReader& make_reader_;
  const std::uint64_t max_pairs_;
  const std::stop_token& stop_;
};

}  // namespace

Result<tally::Tally> sum_windows(const Task& task, WindowRange range, const MakeTallyReader& make_reader,
                                 std::uint64_t max_pairs, const std::stop_token& stop) {
  return RangeSum(task, range, make_reader, max_pairs, stop).run();
}

}  // namespace hearsay::store
