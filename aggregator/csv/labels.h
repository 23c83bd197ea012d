// Gives columns distinct labels, by which a companion document names the columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hearsay/companion.h"
#include "hearsay/result.h"

namespace hearsay::csv {

// Returns a label for each field of a header, which is UTF-8. All labels differ. A label is the field's text, without
// white space at its ends. Each other run of white space and control characters becomes one space. Exceptions:
// - If field N is empty, its label is "column N".
// - Repeated texts get a number: "Age", "Age (2)", "Age (3)". A number is skipped if the label would be the text of
//   another field.
std::vector<std::string> labels_of(const std::vector<std::string>& header);

// Returns the column of each attribute. Errors: kInvalidRecord (the message names the labels that no column has).
Result<std::vector<std::size_t>> labelled_columns(const Companion& companion, const std::vector<std::string>& header);

}  // namespace hearsay::csv
