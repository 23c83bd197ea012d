#include "sdk/outbox/database_outbox.h"

#include "common/base/try.h"
#include "sdk/outbox/report_table.h"

namespace hearsay::sdk {

Result<std::vector<PendingReport>> DatabaseOutbox::pending(const TaskId& task, UnixSeconds now, std::size_t most) {
  std::vector<PendingReport> reports;
  const auto done = transact_([&](Database& database) -> Result<void> {
    HEARSAY_TRY(const bool trusted, trusts_clock_(database, now));
    if (trusted) {
      HEARSAY_CHECK_OK(drop_old(database, limits_, now));
    }
    HEARSAY_TRY(reports, pending_reports(database, task, most));
    return {};
  });
  if (!done) return done.error();
  return reports;
}

Result<void> DatabaseOutbox::settle(std::span<const Settlement> settled, UnixSeconds now) {
  for (const Settlement& one : settled) {
    if (one.state != ReportState::kPending) continue;
    return Error{ErrorCode::kInvalidArgument,
                 "a report can be settled as delivered or as dropped, and in no other way"};
  }
  return transact_([&](Database& database) { return settle_reports(database, limits_, settled, now); });
}

Result<std::vector<LoggedReport>> DatabaseOutbox::log(std::size_t most) const {
  std::vector<LoggedReport> reports;
  const auto done = transact_([&](Database& database) -> Result<void> {
    HEARSAY_TRY(reports, logged_reports(database, most));
    return {};
  });
  if (!done) return done.error();
  return reports;
}

}  // namespace hearsay::sdk
