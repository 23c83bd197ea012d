// What metrics, lists and readiness tell of the database: read now, or what a thread read last.
#include <algorithm>

#include "aggregator/store/postgres/postgres_store.h"
#include "aggregator/store/postgres/transactions.h"
#include "aggregator/store/sealing.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

// A slow look must not pass for a database that does not answer.
constexpr Statement kHurry{"hurry", "SET LOCAL statement_timeout = '5s'"};
constexpr Statement kSums{"sums",
                          "SELECT w.task, sum(w.reports)::int8, count(DISTINCT w.window_start), "
                          "coalesce(sum(w.reports) FILTER (WHERE w.window_start >= t.sealed_before), 0)::int8, "
                          "coalesce(sum(w.commits) FILTER (WHERE w.window_start >= t.sealed_before), 0)::int8 "
                          "FROM hearsay.windows w JOIN hearsay.tasks t ON t.number = w.task GROUP BY w.task"};
constexpr Statement kTotals{"totals",
                            "SELECT coalesce(sum(commit), 0)::int8, pg_database_size(current_database()) "
                            "FROM hearsay.writers"};
constexpr std::string_view kTimedOut = "57014";

double in_seconds(std::chrono::steady_clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

Result<std::shared_ptr<const Observation>> PostgresStore::observe(const Observation& last) const {
  HEARSAY_TRY(const Database::Lease connection, database_->lease());
  auto seen = std::make_shared<Observation>();
  HEARSAY_TRY(seen->tasks, sealed_tasks(*connection));
  auto counted = count(*connection, *seen);
  if (!counted && (!options_.observes || connection->sqlstate() != kTimedOut)) return counted.error();
  if (!counted) {
    seen->counts = last.counts;
    seen->statistics = last.statistics;
    seen->counted = last.counted;
  }
  seen->statistics.tasks = seen->tasks.size();
  return std::shared_ptr<const Observation>(std::move(seen));
}

Result<void> PostgresStore::count(Connection& connection, Observation& seen) const {
  connection.send(kBegin);
  if (options_.observes) connection.send(kHurry);
  connection.send(kSums);
  connection.send(kTotals);
  connection.send(kCommit);
  HEARSAY_TRY(const std::vector<Rows> results, connection.finish());
  const Rows& sums = results[results.size() - 3];
  for (std::size_t row = 0; row < sums.size(); ++row) {
    seen.counts[sums.int4(row, 0)] = {static_cast<std::uint64_t>(sums.int8(row, 1)),
                                      static_cast<std::uint64_t>(sums.int8(row, 2))};
    seen.statistics.reports += static_cast<std::uint64_t>(sums.int8(row, 3));
    seen.statistics.blocks += static_cast<std::uint64_t>(sums.int8(row, 4));
  }
  const Rows& totals = results[results.size() - 2];
  seen.statistics.commits = static_cast<std::uint64_t>(totals.int8(0, 0));
  seen.statistics.disk_bytes = static_cast<std::uint64_t>(totals.int8(0, 1));
  return {};
}

Result<void> PostgresStore::start_observer() {
  HEARSAY_TRY(const std::shared_ptr<const Observation> first, observe(Observation()));
  const auto answers = [this] { return static_cast<bool>(database_->lease()); };
  const auto look = [this, last = first]() mutable {
    const auto seen = observe(*last);
    if (seen) last = *seen;
    return seen ? *seen : nullptr;
  };
  observer_.emplace(Observer::Questions{answers, look}, first);
  return {};
}

std::shared_ptr<const Observation> PostgresStore::observed() const {
  if (observer_) return observer_->last().first;
  const auto seen = observe(Observation());
  return seen ? *seen : std::make_shared<const Observation>();
}

TaskCounts PostgresStore::counts(const Task& task) const {
  const auto seen = observed();
  const auto found =
      std::ranges::find_if(seen->tasks, [&](const SealedTask& each) { return each.task->task.id() == task.id(); });
  if (found == seen->tasks.end()) return {};
  const auto counts = seen->counts.find(found->task->number);
  return counts == seen->counts.end() ? TaskCounts() : counts->second;
}

std::uint64_t PostgresStore::sealed_ahead(UnixSeconds now) const {
  const auto seen = observed();
  std::uint64_t ahead = 0;
  for (const SealedTask& each : seen->tasks) {
    const UnixSeconds due = first_live_window(each.task->task, now);
    if (each.before > due) ahead = std::max(ahead, each.before - due);
  }
  return ahead;
}

StoreStatistics PostgresStore::statistics() const {
  const auto seen = observed();
  StoreStatistics statistics = seen->statistics;
  const auto failed = failure();
  statistics.healthy = !failed;
  if (failed) statistics.unavailable.push_back(name_ + ": " + failed->message);
  const auto silence = observer_ ? observer_->silence() : Observer::Steady::duration::zero();
  const auto age = observer_ ? Observer::Steady::now() - seen->counted : Observer::Steady::duration::zero();
  statistics.databases.push_back({name_, failed, in_seconds(silence), in_seconds(age)});
  return statistics;
}

bool PostgresStore::silent() const { return observer_ && observer_->silence() > options_.max_silence; }

std::optional<Error> PostgresStore::failure() const {
  {
    const std::lock_guard lock(failure_mutex_);
    if (upkeep_failure_) return upkeep_failure_;
    if (append_failure_) return append_failure_;
  }
  if (!silent()) return std::nullopt;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(observer_->silence()).count();
  return Error{ErrorCode::kStoreFailed, "the database has not answered for " + std::to_string(seconds) + " s"};
}

}  // namespace hearsay::store::postgres
