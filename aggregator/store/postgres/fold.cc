// Folds: adds the rows of `deltas`, which commits leave, to the rows of `tallies`.
#include <map>

#include "aggregator/store/postgres/postgres_store.h"
#include "aggregator/store/postgres/snapshot.h"
#include "aggregator/store/postgres/transactions.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

constexpr std::uint64_t kDeltasAtOnce = 1000;

constexpr Statement kTasksToFold{"tasks_to_fold",
                                 "SELECT t.id FROM hearsay.tasks t WHERE EXISTS "
                                 "(SELECT FROM hearsay.deltas d WHERE d.task = t.number) ORDER BY t.number"};
constexpr Statement kLazily{"lazily", "SET LOCAL synchronous_commit = off"};
constexpr Statement kIsThere{"task_is_there", "SELECT FROM hearsay.tasks WHERE number = $1::int4"};
constexpr Statement kTakeDeltas{
    "take_deltas",
    "DELETE FROM hearsay.deltas d USING (SELECT window_start, writer, commit FROM hearsay.deltas WHERE task = $1::int4 "
    "ORDER BY window_start, writer, commit LIMIT $2::int8) AS few WHERE d.task = $1::int4 "
    "AND d.window_start = few.window_start AND d.writer = few.writer AND d.commit = few.commit "
    "RETURNING d.window_start, d.counts"};
constexpr Statement kFoldedParts{
    "folded_parts",
    "SELECT a.n, t.counts FROM unnest($2::int8[], $3::int8[], $4::int4[], $5::int4[]) AS a (w, g, f, n) "
    "CROSS JOIN LATERAL (SELECT counts FROM hearsay.tallies WHERE task = $1::int4 AND window_start = a.w "
    "AND group_from = a.g AND answer_from = a.f OFFSET 0) AS t"};
constexpr Statement kPutParts{
    "put_parts",
    "INSERT INTO hearsay.tallies (task, window_start, group_from, answer_from, counts) "
    "SELECT $1::int4, * FROM unnest($2::int8[], $3::int8[], $4::int4[], $5::bytea[]) "
    "ON CONFLICT (task, window_start, group_from, answer_from) DO UPDATE SET counts = excluded.counts"};

// The parts that a fold changes, as columns for the statements.
struct FoldedParts {
  std::vector<std::int64_t> windows;
  std::vector<std::int64_t> groups;
  std::vector<std::int32_t> answers;
  std::vector<std::int32_t> numbers;
  std::vector<std::string> counts;
};

Result<FoldedParts> parts_of(const KnownTask& task, const Rows& deltas) {
  std::map<std::int64_t, tally::Tally> sums;
  for (std::size_t row = 0; row < deltas.size(); ++row) {
    auto delta = tally::Tally::decode(deltas.bytes(row, 1));
    if (!delta || !task.parts.fit(*delta)) return not_a_tally("deltas");
    const auto [sum, is_new] = sums.try_emplace(deltas.int8(row, 0), *delta);
    if (!is_new) HEARSAY_CHECK_OK(sum->second.merge(*delta));
  }
  FoldedParts parts;
  for (const auto& [window, sum] : sums) {
    const auto add = [&, start_of_window = window](const tally::PartStart& start,
                                                   std::string encoding) -> Result<void> {
      parts.windows.push_back(start_of_window);
      parts.groups.push_back(to_database(start.group));
      parts.answers.push_back(static_cast<std::int32_t>(start.answer));
      parts.numbers.push_back(static_cast<std::int32_t>(parts.counts.size()));
      parts.counts.push_back(std::move(encoding));
      return {};
    };
    const auto pairs = task.parts.split(sum, add);
    if (!pairs) return pairs.error();
  }
  return parts;
}

Result<void> add_folded(const Rows& folded, FoldedParts& parts) {
  for (std::size_t row = 0; row < folded.size(); ++row) {
    std::string& counts = parts.counts[static_cast<std::size_t>(folded.int4(row, 0))];
    auto sum = tally::Tally::decode(folded.bytes(row, 1));
    if (!sum) return not_a_tally("tallies");
    HEARSAY_TRY(const tally::Tally change, tally::Tally::decode(counts));
    HEARSAY_CHECK_OK(sum->merge(change));
    counts = sum->encode();
  }
  return {};
}

}  // namespace

Result<void> PostgresStore::fold(Connection& connection) {
  HEARSAY_TRY(const Rows tasks, connection.run(kTasksToFold));
  Result<void> done;
  for (std::size_t row = 0; row < tasks.size(); ++row) {
    TaskId id;
    std::ranges::copy(tasks.bytes(row, 0), id.bytes.begin());
    HEARSAY_TRY(const auto task, present_task(connection, id));
    if (!task) continue;
    for (bool more = true; more;) {
      auto folded = fold_some(connection, *task);
      connection.roll_back();  // ends a transaction that is still open
      if (!folded) {
        // A damaged row of one task does not keep other tasks from being folded.
        if (folded.error().code != ErrorCode::kStoreCorrupt) return folded.error();
        if (done) done = folded.error();
        break;
      }
      more = *folded;
    }
  }
  return done;
}

Result<bool> PostgresStore::fold_some(Connection& connection, const KnownTask& task) {
  connection.send(kBegin);
  connection.send(kLazily);
  connection.send(kTryMaintenance, Parameters().int4(kFoldLock));
  connection.send(kShareTasks, Parameters().int4s(std::array{task.number}));
  connection.send(kIsThere, Parameters().int4(task.number));
  HEARSAY_TRY(const std::vector<Rows> begun, connection.finish());
  if (!begun[2].boolean(0, 0) || begun[4].empty()) return false;
  HEARSAY_TRY(const Rows deltas,
              connection.run(kTakeDeltas, Parameters().int4(task.number).int8(std::int64_t{kDeltasAtOnce})));
  if (deltas.empty()) return false;
  HEARSAY_TRY(FoldedParts parts, parts_of(task, deltas));
  HEARSAY_TRY(const Rows folded, connection.run(kFoldedParts, Parameters()
                                                                  .int4(task.number)
                                                                  .int8s(parts.windows)
                                                                  .int8s(parts.groups)
                                                                  .int4s(parts.answers)
                                                                  .int4s(parts.numbers)));
  HEARSAY_CHECK_OK(add_folded(folded, parts));
  connection.send(kPutParts, Parameters()
                                 .int4(task.number)
                                 .int8s(parts.windows)
                                 .int8s(parts.groups)
                                 .int4s(parts.answers)
                                 .byteas(parts.counts));
  connection.send(kCommit);
  HEARSAY_TRY(const std::vector<Rows> put, connection.finish());
  return deltas.size() == kDeltasAtOnce;
}

}  // namespace hearsay::store::postgres
