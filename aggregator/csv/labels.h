// The columns' labels, by which a companion document names them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hearsay/companion.h"
#include "hearsay/result.h"

namespace hearsay::csv {

// Returns a label for each field of a header, all distinct. A label is the field's text, in which one space stands for
// each run of white space and control characters, and none at the ends. An empty field N has the label "column N". A
// text that an earlier column has as its label gets a number: "Age", "Age (2)", "Age (3)"; a number that makes another
// field's text is left out. `header` is UTF-8.
std::vector<std::string> labels_of(const std::vector<std::string>& header);

// Returns the column of each attribute. Errors: kInvalidRecord; the message names the labels that no column has.
Result<std::vector<std::size_t>> labelled_columns(const Companion& companion, const std::vector<std::string>& header);

}  // namespace hearsay::csv
