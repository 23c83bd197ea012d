// Makes the labels of columns. A companion document names columns by these labels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hearsay/companion.h"
#include "hearsay/result.h"

namespace hearsay::csv {

// Returns a label for each field of a header. All labels differ. A label is the field's text without white space at its
// ends, and with one space for each other run of white space and control characters. Exceptions:
// - The label of an empty field N is "column N".
// - Repeated texts get a number: "Age", "Age (2)", "Age (3)". A number is skipped if the result is the text of another
//   field.
// `header` is UTF-8.
std::vector<std::string> labels_of(const std::vector<std::string>& header);

// Returns the column of each attribute. Errors: kInvalidRecord; the message names the labels that no column has.
Result<std::vector<std::size_t>> labelled_columns(const Companion& companion, const std::vector<std::string>& header);

}  // namespace hearsay::csv
