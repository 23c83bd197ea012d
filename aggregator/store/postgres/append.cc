#include "aggregator/store/postgres/append.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "aggregator/store/postgres/seal_day.h"
#include "aggregator/store/postgres/snapshot.h"
#include "aggregator/store/postgres/transactions.h"
#include "common/base/exception_text.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

constexpr int kMostAttempts = 6;

constexpr Statement kTaskStates{
    "task_states", "SELECT number, closed_at, sealed_before, id FROM hearsay.tasks WHERE number = ANY ($1::int4[])"};
constexpr Statement kWindowCounts{
    "window_counts",
    "SELECT a.task, a.start, w.reports, w.pairs FROM unnest($1::int4[], $2::int8[]) AS a (task, start) "
    "CROSS JOIN LATERAL (SELECT sum(reports)::int8 AS reports, sum(pairs)::int8 AS pairs FROM hearsay.windows "
    "WHERE task = a.task AND window_start = a.start OFFSET 0) AS w WHERE w.reports IS NOT NULL"};
constexpr Statement kInsertIds{
    "insert_ids",
    "INSERT INTO hearsay.ids (task, seal_day, window_start, id, digest) SELECT * FROM "
    "unnest($1::int4[], $2::int4[], $3::int8[], $4::uuid[], $5::uuid[]) AS a (t, d, w, i, x) ORDER BY t, d, w, i "
    "ON CONFLICT DO NOTHING"};
constexpr Statement kFindIds{
    "find_ids",
    "SELECT a.n, i.digest, i.mine FROM "
    "unnest($1::int4[], $2::int4[], $3::int8[], $4::uuid[], $5::int4[]) AS a (t, d, w, i, n) CROSS JOIN LATERAL "
    "(SELECT digest, xmin = pg_current_xact_id()::xid AS mine FROM hearsay.ids WHERE task = a.t AND seal_day = a.d "
    "AND window_start = a.w AND id = a.i OFFSET 0) AS i"};
// Returns true if another attempt may succeed or find the cause: after a conflict between transactions (class 40), if a
// partition is gone, or if the writer is shut out (see Writer::send_commit_number()).
bool is_passing(const std::string& sqlstate) {
  return sqlstate.starts_with("40") || sqlstate == "23514" || sqlstate == "22012";
}

}  // namespace

Result<void> PostgresStore::Append::find_tasks(Connection& connection) {
  tasks_.assign(submissions_.size(), nullptr);
  for (std::size_t i = 0; i < submissions_.size(); ++i) {
    const TaskId& id = submissions_[i].task->id();
    if (i != 0 && submissions_[i - 1].task->id() == id) {
      tasks_[i] = tasks_[i - 1];
    } else {
      HEARSAY_TRY(tasks_[i], store_.find_task(connection, id));
    }
  }
  return {};
}

void PostgresStore::Append::sort_submissions() {
  if (digests_.empty()) {
    for (const Submission& each : submissions_) digests_.push_back(report_digest(content_of(each.encoded)));
  }
  struct Key {
    std::int32_t task;
    std::int32_t day;
    UnixSeconds window;
    ReportId id;
    std::size_t i;
    auto place() const { return std::tie(task, day, window); }
    auto operator<=>(const Key&) const = default;
  };
  std::vector<Key> keys;
  keys.reserve(submissions_.size());
  for (std::size_t i = 0; i < submissions_.size(); ++i) {
    if (!tasks_[i]) continue;
    const Task& task = tasks_[i]->task;
    const UnixSeconds window = task.window_of(submissions_[i].report.time);
    keys.push_back({tasks_[i]->number, seal_day(task, window), window, submissions_[i].report.id, i});
  }
  std::sort(keys.begin(), keys.end());
  entry_of_.assign(submissions_.size(), std::nullopt);
  entries_.clear();
  windows_.clear();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const Key& key = keys[k];
    const bool new_window = k == 0 || keys[k - 1].place() != key.place();
    if (new_window) windows_.emplace_back(tasks_[key.i], key.window, key.day, entries_.size());
    if (new_window || keys[k - 1].id != key.id) {
      entries_.push_back({key.i, key.id.bytes, windows_.size() - 1, {}, {}});
      ++windows_.back().to;
    }
    entry_of_[key.i] = entries_.size() - 1;
  }
}

Result<void> PostgresStore::Append::make_days(Connection& connection) {
  std::set<std::int32_t> days;
  for (const Window& window : windows_) days.insert(window.day);
  return store_.prepare_days(connection, days);
}

void PostgresStore::Append::send_begin(Connection& connection) const {
  std::vector<std::int32_t> numbers;
  std::vector<std::int32_t> tasks;
  std::vector<std::int64_t> starts;
  for (const Window& window : windows_) {
    tasks.push_back(window.task->number);
    starts.push_back(to_database(window.start));
    if (numbers.empty() || numbers.back() != tasks.back()) numbers.push_back(tasks.back());
  }
  connection.send(kBegin);
  connection.send(kShareTasks, Parameters().int4s(numbers));
  connection.send(kTaskStates, Parameters().int4s(numbers));
  connection.send(kWindowCounts, Parameters().int4s(tasks).int8s(starts));
}

bool PostgresStore::Append::take_state(const Rows& tasks, const Rows& windows) {
  struct State {
    bool closed;
    UnixSeconds sealed_before;
    std::string_view id;
  };
  std::map<std::int64_t, State> states;
  for (std::size_t row = 0; row < tasks.size(); ++row) {
    states[tasks.int4(row, 0)] = {!tasks.is_null(row, 1), static_cast<UnixSeconds>(tasks.int8(row, 2)),
                                  tasks.bytes(row, 3)};
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> counted;
  for (std::size_t row = 0; row < windows.size(); ++row) {
    counted[{windows.int4(row, 0), windows.int8(row, 1)}] = row;
  }
  bool simple = true;
  for (Window& window : windows_) {
    const auto state = states.find(window.task->number);
    // After a fail-over that lost a task, another task may have the lost task's number.
    if (state == states.end() || state->second.id != bytes_of(window.task->task.id())) {
      window.refusal = AppendOutcome::kUnrecognizedTask;
      store_.forget_task(window.task->task.id());
    } else if (state->second.closed) {
      window.refusal = AppendOutcome::kTaskClosed;
    } else if (window.start < state->second.sealed_before) {
      window.refusal = AppendOutcome::kExpired;
    }
    const auto counts = counted.find({window.task->number, to_database(window.start)});
    window.opens = counts == counted.end();
    if (!window.opens) {
      window.reports = static_cast<std::uint64_t>(windows.int8(counts->second, 2));
      window.pairs = static_cast<std::uint64_t>(windows.int8(counts->second, 3));
    }
    simple = simple && !window.refusal && has_room(window);
  }
  return simple;
}

bool PostgresStore::Append::has_room(const Window& window) const {
  return !window.opens && !must_look_up_pairs(window) &&
         window.reports + (window.to - window.from) <= store_.max_window_reports_;
}

void PostgresStore::Append::send_ids(Connection& connection) const {
  std::vector<std::int32_t> tasks;
  std::vector<std::int32_t> days;
  std::vector<std::int64_t> starts;
  std::vector<Bytes16> ids;
  std::vector<Bytes16> digests;
  for (const Entry& entry : entries_) {
    if (!entry.accepted()) continue;
    const Window& window = windows_[entry.window];
    tasks.push_back(window.task->number);
    days.push_back(window.day);
    starts.push_back(to_database(window.start));
    ids.push_back(entry.id);
    digests.push_back(digests_[entry.first]);
  }
  connection.send(kInsertIds, Parameters().int4s(tasks).int4s(days).int8s(starts).uuids(ids).uuids(digests));
}

Result<void> PostgresStore::Append::look_up(Connection& connection) {
  std::vector<std::int32_t> tasks;
  std::vector<std::int32_t> days;
  std::vector<std::int64_t> starts;
  std::vector<Bytes16> ids;
  std::vector<std::int32_t> numbers;
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Entry& entry = entries_[e];
    if (entry.refusal) continue;
    const Window& window = windows_[entry.window];
    tasks.push_back(window.task->number);
    days.push_back(window.day);
    starts.push_back(to_database(window.start));
    ids.push_back(entry.id);
    numbers.push_back(static_cast<std::int32_t>(e));
  }
  HEARSAY_TRY(const Rows found,
              connection.run(kFindIds, Parameters().int4s(tasks).int4s(days).int8s(starts).uuids(ids).int4s(numbers)));
  for (std::size_t row = 0; row < found.size(); ++row) {
    if (!found.boolean(row, 2)) entries_[static_cast<std::size_t>(found.int4(row, 0))].stored = found.uuid(row, 1);
  }
  return {};
}

Result<void> PostgresStore::Append::count(Window& window) const {
  std::vector<std::span<const std::uint8_t>> payloads;
  for (std::size_t e = window.from; e < window.to; ++e) {
    if (entries_[e].accepted()) payloads.push_back(submissions_[entries_[e].first].report.payload);
  }
  window.delta.reset();
  if (payloads.empty()) return {};
  window.delta = tally::Tally::empty(window.task->task.channel());
  HEARSAY_CHECK_OK(window.delta->add_all(window.task->task.channel(), payloads));
  return {};
}

Result<void> PostgresStore::Append::count_all() {
  for (Window& window : windows_) HEARSAY_CHECK_OK(count(window));
  return {};
}

bool PostgresStore::Append::is_committed() {
  const auto commit = std::exchange(doubtful_, std::nullopt);
  return commit && store_.writer_->was_committed(*commit);
}

void PostgresStore::Append::settle() {
  for (std::size_t i = 0; i < submissions_.size(); ++i) {
    if (!entry_of_[i]) {
      outcomes_[i] = AppendOutcome::kUnrecognizedTask;
      continue;
    }
    const Entry& entry = entries_[*entry_of_[i]];
    if (entry.refusal) {
      outcomes_[i] = *entry.refusal;
    } else if (entry.accepted() && entry.first == i) {
      outcomes_[i] = AppendOutcome::kAccepted;
    } else {
      const Bytes16& other = entry.stored ? *entry.stored : digests_[entry.first];
      outcomes_[i] = other == digests_[i] ? AppendOutcome::kReplayed : AppendOutcome::kConflict;
    }
  }
}

Result<PostgresStore::Append::Step> PostgresStore::Append::attempt(Connection& connection) {
  HEARSAY_CHECK_OK(find_tasks(connection));
  sort_submissions();
  if (entries_.empty()) {
    settle();
    return Step::kDone;
  }
  HEARSAY_CHECK_OK(make_days(connection));
  send_begin(connection);
  if (!careful_) {
    send_ids(connection);
    store_.writer_->send_commit_number();
  }
  connection.flush();
  // This process counts the reports while the server inserts their ids.
  const Result<void> counted = careful_ ? Result<void>() : count_all();
  HEARSAY_TRY(const std::vector<Rows> begun, connection.finish());
  HEARSAY_CHECK_OK(counted);
  const bool simple = take_state(begun[2], begun[3]);
  if (!careful_ && !simple) {
    careful_ = true;
    return Step::kAgain;
  }
  std::uint64_t inserted = 0;
  if (careful_) {
    HEARSAY_CHECK_OK(decide(connection));
    send_ids(connection);
    store_.writer_->send_commit_number();
    HEARSAY_TRY(const std::vector<Rows> ids, connection.finish());
    inserted = ids[0].affected();
  } else {
    inserted = begun[4].affected();
  }
  const auto wanted = static_cast<std::uint64_t>(std::ranges::count_if(entries_, &Entry::accepted));
  if (inserted != wanted) {
    HEARSAY_CHECK_OK(look_up(connection));
    const auto accepted = static_cast<std::uint64_t>(std::ranges::count_if(entries_, &Entry::accepted));
    // Another transaction has changed the ids or the windows meanwhile.
    if (careful_ || accepted != inserted) return Step::kAgain;
  }
  if (careful_ || inserted != wanted) HEARSAY_CHECK_OK(count_all());
  return commit(connection);
}

Result<PostgresStore::Append::Step> PostgresStore::Append::commit(Connection& connection) {
  const bool acknowledges = std::ranges::any_of(entries_, [](const Entry& entry) { return !entry.refusal; });
  if (!acknowledges) {
    connection.roll_back();
    settle();
    return Step::kDone;
  }
  Writer& writer = *store_.writer_;
  send_blocks(connection);
  send_counts(connection);
  connection.take_warning();
  connection.send(kCommit);
  const auto committed = connection.finish();
  if (committed && !connection.take_warning()) {
    writer.acknowledge();
    settle();
    return Step::kDone;
  }
  if (committed || connection.broken()) {
    doubtful_ = writer.next();
    writer.doubt();
    writer.disconnect();
    return committed ? Error{ErrorCode::kStoreFailed, "no synchronous standby confirmed the commit"}
                     : committed.error();
  }
  writer.suspect();
  return committed.error();
}

Result<void> PostgresStore::append(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes) {
  if (submissions.size() != outcomes.size()) {
    return Error{ErrorCode::kInvalidArgument, "store: there must be one outcome for each submission"};
  }
  const std::lock_guard lock(append_mutex_);
  HEARSAY_CHECK_OK(writable());
  if (const auto failed = failure(); failed && failed->code == ErrorCode::kClockUncertain) {
    return Error{ErrorCode::kStoreFailed, failed->message};
  }
  // A stop does not wait for the same failure once for each batch.
  if (options_.stopping.stop_requested() && appends_failed_ != 0) {
    return Error{ErrorCode::kStoreFailed, "the store is about to be closed, and the last batch failed"};
  }
  Append batch(*this, submissions, outcomes);
  Error last{ErrorCode::kStoreFailed,
             "the database's transactions conflicted again and again; send the reports again later"};
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const auto connection = writer_->ready();
    if (!connection) {
      note(Work::kAppend, connection.error());
      return Error{ErrorCode::kStoreFailed, connection.error().message};  // failure() returns the original code
    }
    if (batch.is_committed()) {
      batch.settle();
      return {};
    }
    const auto step = batch.attempt(**connection);
    if (step && *step == Append::Step::kDone) {
      note(Work::kAppend, std::nullopt);
      return {};
    }
    if (step) continue;
    last = step.error();
    if (!writer_->connected()) continue;
    if (is_passing((*connection)->sqlstate())) {
      days_.clear();
      writer_->suspect();  // if the writer is shut out, ready() finds this out
    } else if (!(*connection)->broken()) {
      (*connection)->roll_back();
      // The server failed: for example its disk is full, the database became read-only, or a statement took too long.
      // The next upkeep writes to the writer's row, and so finds out whether the failure has passed.
      if (last.code == ErrorCode::kStoreFailed) {
        writer_->suspect();
        note(Work::kAppend, last);
      }
      return last;
    }
  }
  note(Work::kAppend, last);
  return last;
}

}  // namespace hearsay::store::postgres
