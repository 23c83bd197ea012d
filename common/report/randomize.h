// From a record to a report: the step that no record survives.
#pragma once

#include "common/random/bit_source.h"
#include "common/report/report.h"
#include "hearsay/clock.h"
#include "hearsay/record.h"
#include "hearsay/task.h"

namespace hearsay {

// Whether randomize() would make a report: to be asked before anything is paid. Does not depend on the record's values.
// Errors: kReportTooEarly before task_start, kTaskExpired from task.end() on, kInvalidRecord if the record is of
// another schema.
Result<void> check_randomizable(const Task& task, const Record& record, UnixSeconds now);

// One randomized report of the record for the task, with a fresh id and the time truncated to the task's
// time_precision. ε-locally differentially private in the record, ε = task.epsilon(), pure, over the records of the
// task's schema. Every call is a further randomization and costs a further ε. Errors: kEntropyFailed, and then nothing
// was drawn from the record; kReportTooEarly, kTaskExpired if `now` is outside the task's lifetime; kInvalidRecord if
// the record is of another schema.
Result<Report> randomize(const Task& task, const Record& record, UnixSeconds now, BitSource& bits);

}  // namespace hearsay
