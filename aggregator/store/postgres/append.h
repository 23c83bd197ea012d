// Takes a batch of reports in one transaction; see format.md.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aggregator/store/postgres/postgres_store.h"
#include "aggregator/store/report_digest.h"
#include "aggregator/store/window_pairs.h"

namespace hearsay::store::postgres {

// Takes one batch. Needs the store's append_mutex_. Call attempt() until it returns kDone.
class PostgresStore::Append {
 public:
  Append(PostgresStore& store, std::span<const Submission> submissions, std::span<AppendOutcome> outcomes)
      : store_(store), submissions_(submissions), outcomes_(outcomes) {}

  enum class Step : std::uint8_t {
    kDone,   // the outcomes are set
    kAgain,  // nothing has changed; another attempt may succeed
  };
  // After an error nothing has changed, unless the outcome of the commit is in doubt (see Writer::doubt()).
  Result<Step> attempt(Connection& connection);
  // Returns true if the last attempt ended in doubt and turned out to be committed. Then call settle().
  bool is_committed();
  void settle();

 private:
  // One window of a task in the batch.
  struct Window {
    Window(std::shared_ptr<const KnownTask> known, UnixSeconds window, std::int32_t of_day, std::size_t first)
        : task(std::move(known)), start(window), day(of_day), from(first), to(first) {}

    std::shared_ptr<const KnownTask> task;
    UnixSeconds start;
    std::int32_t day;
    std::size_t from;  // the window's part of entries_ is [from, to)
    std::size_t to;
    std::optional<AppendOutcome> refusal;  // the outcome of every report of the window, if the window takes no reports
    bool opens = true;                     // true if the window has no report yet
    std::uint64_t reports = 0;             // reports before this batch; decide() adds the reports that it accepts
    std::uint64_t pairs = 0;               // pairs before this batch; may be too many, see must_look_up()
    std::optional<tally::Tally> delta;     // tally of the accepted reports
    std::optional<NewPairs> new_pairs;     // set if the pairs had to be looked up
  };
  // One report identity in the batch, and the first submission with this identity.
  struct Entry {
    std::size_t first = 0;
    Bytes16 id{};
    std::size_t window = 0;
    std::optional<AppendOutcome> refusal;
    std::optional<Bytes16> stored;  // the stored report's digest, if the report was there before
    bool accepted() const { return !refusal && !stored; }
  };

  Result<void> find_tasks(Connection& connection);
  void sort_submissions();
  Result<void> make_days(Connection& connection);
  void send_begin(Connection& connection) const;
  // Returns true if the state in `tasks` and `windows` allows every entry, so that decide() is not needed.
  bool take_state(const Rows& tasks, const Rows& windows);
  bool has_room(const Window& window) const;
  void send_ids(Connection& connection) const;
  // Finds the ids that earlier batches or other daemons have put into the database.
  Result<void> look_up(Connection& connection);
  // Decides about all entries before they are inserted, in the order of the submissions. Defined in decide.cc.
  Result<void> decide(Connection& connection);
  Result<std::uint64_t> open_windows(Connection& connection, const KnownTask& task) const;
  // Returns the pairs that are new to the window. Returns nothing if the window cannot get too many pairs.
  Result<std::optional<NewPairs>> look_up_pairs(Connection& connection, const Window& window) const;
  // Returns why the window takes no new reports; nothing if the window takes new reports. `open` is the number of the
  // task's windows that are not sealed.
  std::optional<AppendOutcome> refusal_of_new(const Window& window, std::uint64_t open) const;
  bool must_look_up_pairs(const Window& window) const;
  // Sets the window's delta to the tally of the accepted reports.
  Result<void> count(Window& window) const;
  Result<void> count_all();
  // Sends the rows of `blocks`. send_blocks() and send_counts() are defined in rows.cc.
  void send_blocks(Connection& connection) const;
  void send_counts(Connection& connection) const;
  Result<Step> commit(Connection& connection);

  PostgresStore& store_;
  const std::span<const Submission> submissions_;
  const std::span<AppendOutcome> outcomes_;
  std::vector<Bytes16> digests_;                         // for each submission
  std::vector<std::shared_ptr<const KnownTask>> tasks_;  // for each submission; null if there is no such task
  std::vector<std::optional<std::size_t>> entry_of_;     // for each submission: the index of its entry
  std::vector<Entry> entries_;                           // ascending by task, day, window and id
  std::vector<Window> windows_;                          // ascending by task, day and start
  bool careful_ = false;
  std::optional<std::int64_t> doubtful_;  // the number of the commit whose answer was lost
};

}  // namespace hearsay::store::postgres
