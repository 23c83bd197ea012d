// Takes over windows that another store has sealed. Marks the windows as sealed, and stores their tallies without
// reports.
#include "aggregator/store/postgres/postgres_store.h"
#include "aggregator/store/postgres/snapshot.h"
#include "aggregator/store/postgres/transactions.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

constexpr Statement kImportSeal{"import_seal",
                                "UPDATE hearsay.tasks SET sealed_before = greatest(sealed_before, $2::int8) "
                                "WHERE number = $1::int4"};
// Returns true if a tally may be put into the window.
constexpr Statement kMayImport{
    "may_import",
    "SELECT EXISTS (SELECT FROM hearsay.tasks WHERE number = $1::int4 AND sealed_before > $2::int8) "
    "AND NOT EXISTS (SELECT FROM hearsay.blocks WHERE task = $1::int4 AND window_start = $2::int8)"};
constexpr Statement kDropParts{"drop_parts",
                               "DELETE FROM hearsay.tallies WHERE task = $1::int4 AND window_start = $2::int8"};
constexpr Statement kDropDeltas{"drop_deltas",
                                "DELETE FROM hearsay.deltas WHERE task = $1::int4 AND window_start = $2::int8"};
constexpr Statement kDropCounts{"drop_counts",
                                "DELETE FROM hearsay.windows WHERE task = $1::int4 AND window_start = $2::int8"};
constexpr Statement kImportPart{"import_part",
                                "INSERT INTO hearsay.tallies (task, window_start, group_from, answer_from, counts) "
                                "VALUES ($1::int4, $2::int8, $3::int8, $4::int4, $5::bytea)"};
constexpr Statement kImportCounts{"import_counts",
                                  "INSERT INTO hearsay.windows (task, window_start, writer, reports, pairs, commits) "
                                  "VALUES ($1::int4, $2::int8, 0, $3::int8, $4::int8, 0)"};

Error no_task(const TaskId& id) { return {ErrorCode::kUnrecognizedTask, "there is no task " + id.to_string()}; }

}  // namespace

Result<void> PostgresStore::import_seal(const Task& task, UnixSeconds before) {
  HEARSAY_CHECK_OK(writable());
  HEARSAY_TRY(const Database::Lease connection, database_->lease());
  HEARSAY_TRY(const auto known, present_task(*connection, task.id()));
  if (!known) return no_task(task.id());
  connection->send(kBegin);
  connection->send(kLockTask, Parameters().int4(known->number));
  connection->send(kImportSeal, Parameters().int4(known->number).int8(to_database(before)));
  connection->send(kCommit);
  const auto done = connection->finish();
  return done ? Result<void>() : done.error();
}

Result<void> PostgresStore::import_tally(const Task& task, UnixSeconds window, const tally::Tally& tally) {
  HEARSAY_CHECK_OK(writable());
  HEARSAY_TRY(const Database::Lease connection, database_->lease());
  HEARSAY_TRY(const auto known, present_task(*connection, task.id()));
  if (!known) return no_task(task.id());
  const auto of_window = [&] { return Parameters().int4(known->number).int8(to_database(window)); };
  connection->send(kBegin);
  connection->send(kLockTask, Parameters().int4(known->number));
  connection->send(kMayImport, of_window());
  HEARSAY_TRY(const std::vector<Rows> begun, connection->finish());
  if (!begun[2].boolean(0, 0) || tally.reports() == 0 || !known->parts.fit(tally)) {
    return Error{ErrorCode::kInvalidArgument,
                 "the window is open or has reports, or the tally is empty or does not fit the task"};
  }
  connection->send(kDropParts, of_window());
  connection->send(kDropDeltas, of_window());
  connection->send(kDropCounts, of_window());
  const auto put = [&](const tally::PartStart& start, const std::string& encoding) -> Result<void> {
    connection->send(
        kImportPart,
        of_window().int8(to_database(start.group)).int4(static_cast<std::int32_t>(start.answer)).bytes(encoding));
    return {};
  };
  HEARSAY_TRY(const std::uint64_t pairs, known->parts.split(tally, put));
  connection->send(kImportCounts,
                   of_window().int8(static_cast<std::int64_t>(tally.reports())).int8(static_cast<std::int64_t>(pairs)));
  connection->send(kCommit);
  const auto done = connection->finish();
  return done ? Result<void>() : done.error();
}

}  // namespace hearsay::store::postgres
