// Reads reports, and finds reports whose ids are lost.
#include <limits>

#include "aggregator/store/postgres/postgres_store.h"
#include "aggregator/store/postgres/seal_day.h"
#include "aggregator/store/postgres/snapshot.h"
#include "aggregator/store/report_digest.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

constexpr std::int64_t kBlocksAtOnce = 128;

// Reads in the order of the key, so that every page costs the same.
constexpr Statement kBlocks{
    "read_blocks",
    "SELECT b.seal_day, b.window_start, b.writer, b.commit, b.part, b.reports, b.bytes FROM hearsay.blocks b "
    "WHERE b.task = $1::int4 AND b.window_start >= (SELECT sealed_before FROM hearsay.tasks WHERE number = $1::int4) "
    "AND b.seal_day >= $2::int4 AND b.seal_day <= $3::int4 "
    "AND (b.seal_day, b.window_start, b.writer, b.commit, b.part) > ($2::int4, $4::int8, $5::int4, $6::int8, $7::int4) "
    "ORDER BY b.seal_day, b.window_start, b.writer, b.commit, b.part LIMIT $8::int8"};
constexpr Statement kDigests{
    "read_digests",
    "SELECT a.n, i.digest FROM unnest($3::int8[], $4::uuid[], $5::int4[]) AS a (w, i, n) CROSS JOIN LATERAL "
    "(SELECT digest FROM hearsay.ids WHERE task = $1::int4 AND seal_day = $2::int4 AND window_start = a.w "
    "AND id = a.i OFFSET 0) AS i"};
struct Block {
  UnixSeconds window;
  std::int32_t day;
  std::int64_t reports;
  std::string_view bytes;
};
using VisitBlock = std::function<Result<void>(const Block&)>;

// Visits the task's blocks whose `seal_day` is from `first` to `last`.
Result<void> for_each_block(Connection& connection, std::int32_t task, std::int32_t first, std::int32_t last,
                            const VisitBlock& visit) {
  std::int32_t day = first;
  std::int64_t window = -1;
  std::int32_t writer = 0;
  std::int64_t commit = 0;
  std::int32_t part = 0;
  for (;;) {
    HEARSAY_TRY(const Rows rows,
                connection.run(
                    kBlocks,
                    Parameters().int4(task).int4(day).int4(last).int8(window).int4(writer).int8(commit).int4(part).int8(
                        kBlocksAtOnce)));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      day = static_cast<std::int32_t>(rows.int4(row, 0));
      window = rows.int8(row, 1);
      writer = static_cast<std::int32_t>(rows.int4(row, 2));
      commit = rows.int8(row, 3);
      part = static_cast<std::int32_t>(rows.int4(row, 4));
      HEARSAY_CHECK_OK(visit({static_cast<UnixSeconds>(window), day, rows.int4(row, 5), rows.bytes(row, 6)}));
    }
    if (rows.size() < static_cast<std::size_t>(kBlocksAtOnce)) return {};
  }
}

// Visits all blocks of the task, by ascending windows. Windows that are never sealed come after all others (see
// seal_day()).
Result<void> for_each_block(Connection& connection, std::int32_t task, const VisitBlock& visit) {
  HEARSAY_CHECK_OK(for_each_block(connection, task, 0, std::numeric_limits<std::int32_t>::max(), visit));
  return for_each_block(connection, task, kNever, kNever, visit);
}

// Calls `visit` with each report of the block and its content_of().
using VisitReport = std::function<Result<void>(const ReportView&, std::span<const std::uint8_t> content)>;
Result<void> read_block(const Task& task, const Block& block, const VisitReport& visit) {
  std::span<const std::uint8_t> rest{reinterpret_cast<const std::uint8_t*>(block.bytes.data()), block.bytes.size()};
  std::int64_t reports = 0;
  for (; !rest.empty(); ++reports) {
    const auto before = rest;
    const auto report = read_report(rest);
    if (!report || task.window_of(report->time) != block.window) break;
    HEARSAY_CHECK_OK(visit(*report, content_of(before.first(before.size() - rest.size()))));
  }
  if (rest.empty() && reports == block.reports) return {};
  return Error{ErrorCode::kStoreCorrupt, "a row of hearsay.blocks, task " + task.id().to_string() + ", window " +
                                             std::to_string(block.window) + ", does not hold the reports that it says"};
}

}  // namespace

Result<void> PostgresStore::for_each_report(const Task& task,
                                            const std::function<Result<void>(const ReportView&)>& visit) const {
  HEARSAY_TRY(const auto view, Snapshot::take(*database_));
  HEARSAY_TRY(Connection* const connection, view->connection());
  HEARSAY_TRY(const auto known, present_task(*connection, task.id()));
  if (!known) return {};
  return for_each_block(*connection, known->number, [&](const Block& block) {
    return read_block(known->task, block,
                      [&](const ReportView& report, std::span<const std::uint8_t>) { return visit(report); });
  });
}

Result<std::vector<ReportId>> PostgresStore::lost_ids(const Task& task) const {
  std::vector<ReportId> lost;
  HEARSAY_TRY(const auto view, Snapshot::take(*database_));
  HEARSAY_TRY(Connection* const connection, view->connection());
  HEARSAY_TRY(const auto known, present_task(*connection, task.id()));
  if (!known) return lost;
  const auto look_up = [&](const Block& block) -> Result<void> {
    std::vector<std::int64_t> windows;
    std::vector<Bytes16> ids;
    std::vector<Bytes16> digests;
    std::vector<std::int32_t> numbers;
    const auto collect = [&](const ReportView& report, std::span<const std::uint8_t> content) -> Result<void> {
      numbers.push_back(static_cast<std::int32_t>(ids.size()));
      windows.push_back(to_database(block.window));
      ids.push_back(report.id.bytes);
      digests.push_back(report_digest(content));
      return {};
    };
    HEARSAY_CHECK_OK(read_block(known->task, block, collect));
    HEARSAY_TRY(
        const Rows rows,
        connection->run(kDigests,
                        Parameters().int4(known->number).int4(block.day).int8s(windows).uuids(ids).int4s(numbers)));
    std::vector<bool> found(ids.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto n = static_cast<std::size_t>(rows.int4(row, 0));
      found[n] = rows.uuid(row, 1) == digests[n];
    }
    for (std::size_t n = 0; n < ids.size(); ++n) {
      if (!found[n]) lost.push_back(ReportId{ids[n]});
    }
    return {};
  };
  HEARSAY_CHECK_OK(for_each_block(*connection, known->number, look_up));
  return lost;
}

Result<BackupInfo> PostgresStore::backup(const std::string&, std::uint32_t, const std::stop_token&) const {
  return Error{ErrorCode::kUnsupported,
               "a store in PostgreSQL is backed up with PostgreSQL's tools, for example pg_basebackup or pg_dump"};
}

}  // namespace hearsay::store::postgres
