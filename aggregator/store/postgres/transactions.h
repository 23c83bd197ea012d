// Statements that begin and end transactions, and that take advisory locks. A lock lasts until its transaction ends.
// The key of a lock is two numbers: the first says whether the second is a task or a kind of work.
#pragma once

#include "aggregator/store/postgres/connection.h"

namespace hearsay::store::postgres {

inline constexpr Statement kBegin{"begin", "BEGIN"};
inline constexpr Statement kCommit{"commit", "COMMIT"};
// $1 is the limit on the time of each statement of the transaction, in milliseconds, as text.
inline constexpr Statement kTimeout{"timeout", "SELECT set_config('statement_timeout', $1::text, true)"};

// Lock the tasks with the numbers $1, shared or exclusively. Several tasks are locked in the order of the array.
inline constexpr Statement kShareTasks{
    "share_tasks", "SELECT count(pg_advisory_xact_lock_shared(1214603634, number)) FROM unnest($1::int4[]) AS number"};
inline constexpr Statement kLockTask{"lock_task", "SELECT pg_advisory_xact_lock(1214603634, $1::int4)"};

// Lock the kind of work $1, which one process does at a time.
inline constexpr Statement kLockMaintenance{"lock_maintenance", "SELECT pg_advisory_xact_lock(1214603635, $1::int4)"};
inline constexpr Statement kTryMaintenance{"try_maintenance", "SELECT pg_try_advisory_xact_lock(1214603635, $1::int4)"};
inline constexpr std::int32_t kSchemaLock = 1;
inline constexpr std::int32_t kPartitionsLock = 2;
inline constexpr std::int32_t kFoldLock = 3;
inline constexpr std::int32_t kMapLock = 5;             // for changing the row of the map
inline constexpr std::int32_t kAdministratorsLock = 6;  // for changing tasks or the map in several databases
inline constexpr std::int32_t kClearingLock = 7;        // for rows of tasks and writers that are gone

}  // namespace hearsay::store::postgres
