// Reads the limits from the host's struct.
#pragma once

#include "hearsay/hearsay.h"
#include "hearsay/task_list.h"

namespace hearsay::c_api {

// Errors: kInvalidArgument, kMalformedJson, kInvalidSchema and the other errors of Schema::parse().
Result<TaskLimits> limits_of(const hearsay_limits* limits);

}  // namespace hearsay::c_api
