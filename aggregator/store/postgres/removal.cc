// Removes the rows that deleted tasks leave, some at a time.
#include <string>

#include "aggregator/store/postgres/postgres_store.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

constexpr Statement kRemoved{"removed", "SELECT number FROM hearsay.removed"};
// Another process may have deleted the rows that the last step had chosen, and others may be left.
constexpr Statement kForget{"forget_removed",
                            "DELETE FROM hearsay.removed WHERE number = $1::int4 "
                            "AND NOT EXISTS (SELECT FROM hearsay.ids WHERE task = $1::int4) "
                            "AND NOT EXISTS (SELECT FROM hearsay.blocks WHERE task = $1::int4) "
                            "AND NOT EXISTS (SELECT FROM hearsay.deltas WHERE task = $1::int4) "
                            "AND NOT EXISTS (SELECT FROM hearsay.tallies WHERE task = $1::int4) "
                            "AND NOT EXISTS (SELECT FROM hearsay.windows WHERE task = $1::int4)"};

// Each statement deletes at most some thousand rows of the task $1.
constexpr Statement kSteps[] = {
    {"remove_ids",
     "DELETE FROM hearsay.ids i USING (SELECT seal_day, window_start, id FROM hearsay.ids WHERE task = $1::int4 "
     "LIMIT 5000) AS few WHERE i.task = $1::int4 AND i.seal_day = few.seal_day "
     "AND i.window_start = few.window_start AND i.id = few.id"},
    {"remove_blocks",
     "DELETE FROM hearsay.blocks b USING (SELECT seal_day, window_start, writer, commit, part FROM hearsay.blocks "
     "WHERE task = $1::int4 LIMIT 2000) AS few WHERE b.task = $1::int4 AND b.seal_day = few.seal_day AND "
     "b.window_start = few.window_start AND b.writer = few.writer AND b.commit = few.commit AND b.part = few.part"},
    {"remove_deltas",
     "DELETE FROM hearsay.deltas WHERE ctid = ANY (ARRAY(SELECT ctid FROM hearsay.deltas WHERE task = $1::int4 "
     "LIMIT 5000))"},
    {"remove_tallies",
     "DELETE FROM hearsay.tallies WHERE ctid = ANY (ARRAY(SELECT ctid FROM hearsay.tallies WHERE task = $1::int4 "
     "LIMIT 5000))"},
    {"remove_windows",
     "DELETE FROM hearsay.windows WHERE ctid = ANY (ARRAY(SELECT ctid FROM hearsay.windows WHERE task = $1::int4 "
     "LIMIT 5000))"},
};

}  // namespace

Result<void> PostgresStore::clear_removed(Connection& connection) {
  HEARSAY_TRY(const Rows removed, connection.run(kRemoved));
  for (std::size_t row = 0; row < removed.size(); ++row) {
    const auto number = static_cast<std::int32_t>(removed.int4(row, 0));
    for (const Statement& step : kSteps) {
      for (std::uint64_t gone = 1; gone != 0;) {
        HEARSAY_TRY(const Rows deleted, connection.run(step, Parameters().int4(number)));
        gone = deleted.affected();
      }
    }
    HEARSAY_TRY(const Rows done, connection.run(kForget, Parameters().int4(number)));
  }
  return {};
}

}  // namespace hearsay::store::postgres
