// Reads and writes the arrangement `explicit` in the task document, see format.md.
#pragma once

#include "common/base/strict_json.h"
#include "hearsay/mechanism.h"

namespace hearsay {

// Reads the arrangement. Explicit::create(), not this function, checks that the vectors make an arrangement. Errors:
// kMissingKey, kUnknownKey, kWrongType, kInvalidTask (the dimension; vectors that are not unpadded base64url),
// kLimitExceeded (more queries than any dimension allows).
Result<ArrangementSpec> explicit_from_json(const ObjectReader& reader);
Json explicit_to_json(const ExplicitSpec& spec);

// Brings the arrangement into its canonical form: queries ascend by their text, and no integer above 1 divides all
// entries of the records, or all entries of a query's vector. An invalid arrangement stays invalid.
void make_canonical(ExplicitSpec& spec);

}  // namespace hearsay
