// The answers to measures as `estimate` prints them for people.
#pragma once

#include <string>

#include "common/base/json.h"

namespace hearsay::cli {

// Returns one row for each row of the answers, and below them remarks and tests of "no change". Lines have at most
// kColumns columns.
std::string text_of_measures(const Json& answers);

}  // namespace hearsay::cli
