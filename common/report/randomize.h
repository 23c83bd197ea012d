// Turns a record into a report. Nothing after this step sees the record.
#pragma once

#include "common/random/bit_source.h"
#include "common/report/report.h"
#include "hearsay/clock.h"
#include "hearsay/record.h"
#include "hearsay/task.h"

namespace hearsay {

// Checks that randomize() would make a report. Call this before the ledger pays for the report. Errors: kReportTooEarly
// (before task_start), kTaskExpired (from task.end() on), kInvalidRecord (the record is of another schema).
Result<void> check_randomizable(const Task& task, const Record& record, UnixSeconds now);

// Returns one randomized report of the record, with a fresh id and with the time truncated to the task's
// time_precision.
//
// Privacy: the report is purely ε-locally differentially private with ε = task.epsilon(), over the records of the
// task's schema. Every call randomizes anew and costs a further ε.
//
// Errors: kEntropyFailed (no random bits, or no memory), kReportTooEarly, kTaskExpired (`now` is outside the task's
// lifetime), kInvalidRecord (the record is of another schema).
Result<Report> randomize(const Task& task, const Record& record, UnixSeconds now, BitSource& bits);

}  // namespace hearsay
