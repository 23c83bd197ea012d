// The distribution of records that an average-case query's two classes are taken from.
#pragma once

#include <span>

#include "hearsay/record.h"

namespace hearsay::compiler {

// Empty: uniform over all records, as in Aldà and Simon 2014, section 2.3. Otherwise a public sample of records, drawn
// independently from a population that resembles the reporters within each class (their section 7); these records must
// outlive the call.
using Reference = std::span<const Record>;

}  // namespace hearsay::compiler
