// The answers to measures as `estimate` prints them.
#pragma once

#include <string>

#include "common/base/json.h"

namespace hearsay::cli {

// For people: a row for each row of the answer, lines of at most kColumns, remarks and tests of "no change" below.
std::string text_of_measures(const Json& answers);

}  // namespace hearsay::cli
