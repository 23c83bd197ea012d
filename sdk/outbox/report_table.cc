#include "sdk/outbox/report_table.h"

#include <algorithm>

#include "common/base/rational.h"
#include "common/base/try.h"
#include "common/base/utf8.h"
#include "sdk/database/row_check.h"

namespace hearsay::sdk {
namespace {

constexpr std::size_t kMaxReasonBytes = 500;

constexpr const char* kColumns =
    "SELECT number, period, task, epsilon, title, made, state, settled, reason, row_check, bytes FROM reports ";

std::int64_t whole(std::size_t number) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(number, std::uint64_t{1} << 62U));
}

// Returns the checksum of all columns except those that settle_reports() changes.
std::int64_t check_of(const NewReport& report, const ReportBytes& bytes) {
  return RowCheck()
      .add(report.number)
      .add(report.period)
      .add(report.task.bytes)
      .add(report.epsilon)
      .add(report.title)
      .add(static_cast<std::int64_t>(report.made))
      .add(bytes)
      .value();
}

struct StoredReport {
  NewReport report;
  ReportState state;
  std::optional<UnixSeconds> settled;
  std::string reason;
  ReportBytes bytes;
};

Result<StoredReport> read(Database& database, const Statement& row) {
  StoredReport stored{};
  stored.report.number = row.integer(0);
  stored.report.period = row.integer(1);
  const std::vector<std::uint8_t> task = row.bytes(2);
  stored.report.epsilon = row.integer(3);
  stored.report.title = row.text(4);
  stored.report.made = static_cast<UnixSeconds>(row.integer(5));
  stored.bytes = row.bytes(10);
  if (task.size() != stored.report.task.bytes.size()) return database.damaged("a report has a malformed task id");
  std::copy(task.begin(), task.end(), stored.report.task.bytes.begin());
  if (row.integer(9) != check_of(stored.report, stored.bytes)) return database.damaged("a report has changed");
  const std::int64_t state = row.integer(6);
  if (state < 0 || state > 2) return database.damaged("a report has an unknown state");
  stored.state = static_cast<ReportState>(state);
  if (const auto settled = row.optional_integer(7)) stored.settled = static_cast<UnixSeconds>(*settled);
  stored.reason = row.text(8);
  return stored;
}

Result<Epsilon> epsilon_of(std::int64_t millionths) {
  std::string text = std::to_string(millionths);
  if (text.size() < 7) text.insert(0, 7 - text.size(), '0');
  text.insert(text.size() - 6, 1, '.');
  return Epsilon::parse(text);
}

// Removes the oldest settled reports until their number and their bytes are within the limits.
Result<void> trim_log(Database& database, const OutboxLimits& limits) {
  Statement settled =
      database.prepare("SELECT number, length(bytes) FROM reports WHERE state <> 0 ORDER BY number DESC");
  std::size_t count = 0;
  std::size_t bytes = 0;
  std::optional<std::int64_t> last;
  while (!last) {
    HEARSAY_TRY(const bool row, settled.step());
    if (!row) return {};
    bytes += static_cast<std::size_t>(settled.integer(1));
    if (++count > limits.max_logged || bytes > limits.max_bytes) last = settled.integer(0);
  }
  return database.prepare("DELETE FROM reports WHERE state <> 0 AND number <= ?").bind(*last).run();
}

}  // namespace

Result<void> check_room(Database& database, const OutboxLimits& limits) {
  HEARSAY_TRY(const std::int64_t waiting, database.number("SELECT count(*) FROM reports WHERE state = 0"));
  if (waiting < whole(limits.max_reports)) return {};
  return Error{ErrorCode::kLimitExceeded, "the outbox is full: " + std::to_string(waiting) + " reports wait"};
}

Result<void> add_report(Database& database, const OutboxLimits& limits, const NewReport& report,
                        const ReportBytes& bytes) {
  HEARSAY_TRY(const std::int64_t waiting,
              database.number("SELECT coalesce(sum(length(bytes)), 0) FROM reports WHERE state = 0"));
  if (static_cast<std::uint64_t>(waiting) + bytes.size() > limits.max_bytes) {
    return Error{ErrorCode::kLimitExceeded, "the outbox is full: " + std::to_string(waiting) + " bytes wait"};
  }
  return database.prepare("INSERT INTO reports VALUES (?, ?, ?, ?, ?, ?, 0, NULL, '', ?, ?)")
      .bind(report.number)
      .bind(report.period)
      .bind(report.task.bytes)
      .bind(report.epsilon)
      .bind(report.title)
      .bind(static_cast<std::int64_t>(report.made))
      .bind(check_of(report, bytes))
      .bind(bytes)
      .run();
}

Result<void> drop_old(Database& database, const OutboxLimits& limits, UnixSeconds now) {
  const auto age = static_cast<std::uint64_t>(std::max<std::int64_t>(limits.max_age.count(), 0));
  if (now < age) return {};
  const auto oldest = static_cast<std::int64_t>(now - age);
  HEARSAY_CHECK_OK(database
                       .prepare("UPDATE reports SET state = 2, settled = ?, reason = 'waited for too long'"
                                " WHERE state = 0 AND made < ?")
                       .bind(static_cast<std::int64_t>(now))
                       .bind(oldest)
                       .run());
  return trim_log(database, limits);
}

Result<std::vector<PendingReport>> pending_reports(Database& database, const TaskId& task, std::size_t most) {
  Statement rows = database.prepare(std::string(kColumns) + "WHERE state = 0 AND task = ? ORDER BY number LIMIT ?");
  rows.bind(task.bytes).bind(whole(most));
  std::vector<PendingReport> pending;
  while (true) {
    HEARSAY_TRY(const bool row, rows.step());
    if (!row) return pending;
    HEARSAY_TRY(StoredReport stored, read(database, rows));
    pending.push_back({stored.report.number, std::move(stored.bytes)});
  }
}

Result<void> settle_reports(Database& database, const OutboxLimits& limits, std::span<const Settlement> settled,
                            UnixSeconds now) {
  for (const Settlement& one : settled) {
    const std::string_view reason = beginning_of(one.reason, kMaxReasonBytes);
    HEARSAY_CHECK_OK(
        database.prepare("UPDATE reports SET state = ?, settled = ?, reason = ? WHERE number = ? AND state = 0")
            .bind(static_cast<std::int64_t>(one.state))
            .bind(static_cast<std::int64_t>(now))
            .bind(reason)
            .bind(one.number)
            .run());
  }
  return trim_log(database, limits);
}

Result<std::vector<LoggedReport>> logged_reports(Database& database, std::size_t most) {
  Statement rows = database.prepare(std::string(kColumns) + "ORDER BY number DESC LIMIT ?");
  rows.bind(whole(most));
  std::vector<LoggedReport> log;
  while (true) {
    HEARSAY_TRY(const bool row, rows.step());
    if (!row) return log;
    HEARSAY_TRY(StoredReport stored, read(database, rows));
    const auto epsilon = epsilon_of(stored.report.epsilon);
    if (!epsilon) return database.damaged("a report has a malformed epsilon");
    log.push_back({stored.report.number, stored.report.task, std::move(stored.report.title), *epsilon,
                   stored.report.made, stored.state, stored.settled, std::move(stored.reason),
                   std::move(stored.bytes)});
  }
}

Result<void> remove_reports(Database& database) { return database.execute("DELETE FROM reports"); }

Result<void> check_reports(Database& database) {
  Statement rows = database.prepare(kColumns);
  while (true) {
    HEARSAY_TRY(const bool row, rows.step());
    if (!row) return {};
    HEARSAY_TRY(const StoredReport stored, read(database, rows));
    const auto epsilon = epsilon_of(stored.report.epsilon);
    if (!epsilon) return database.damaged("a report has a malformed epsilon");
  }
}

}  // namespace hearsay::sdk
