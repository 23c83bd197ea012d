// Makes one randomized report without a ledger and without a network, for a host that has its own ledger and network.
#pragma once

#include <cstdint>
#include <vector>

#include "hearsay/clock.h"
#include "hearsay/record.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay {

// Randomizes a record and returns the report in the bytes that `POST /v1/tasks/ID/reports` takes.
//
// Privacy: every call randomizes anew and costs the person a further ε = task.epsilon(). This function does not count
// calls. The caller must keep a ledger: pay for the report first, call once, store the bytes, and send these same bytes
// at every retry. sdk::Client does all this, so use the client if you can.
//
// Errors: kReportTooEarly, kTaskExpired (`now` is outside the task's lifetime), kInvalidRecord (the record is of
// another schema), kEntropyFailed. After an error there are no bytes.
Result<std::vector<std::uint8_t>> make_unpaid_report(const Task& task, const Record& record, UnixSeconds now);

}  // namespace hearsay
