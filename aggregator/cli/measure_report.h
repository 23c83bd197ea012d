// Formats the answers to measures for people, as `estimate` prints them.
#pragma once

#include <string>

#include "common/base/json.h"

namespace hearsay::cli {

// Returns a table with one row for each row of the answers. Below the table stand remarks, and the tests of "no
// change". Lines have at most kColumns columns.
std::string text_of_measures(const Json& answers);

}  // namespace hearsay::cli
