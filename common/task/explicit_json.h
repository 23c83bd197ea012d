// The arrangement `explicit` in the task document, see format.md.
#pragma once

#include "common/base/strict_json.h"
#include "hearsay/mechanism.h"

namespace hearsay {

// Errors: kMissingKey, kUnknownKey, kWrongType, kInvalidTask (the dimension; vectors that are not unpadded base64url),
// kLimitExceeded (more queries than any dimension allows). That the vectors make an arrangement is for the arrangement
// to say.
Result<ArrangementSpec> explicit_from_json(const ObjectReader& reader);
Json explicit_to_json(const ExplicitSpec& spec);

// The canonical form: queries ascend by their text, no integer above 1 divides all entries of the records, or all of
// a query's vector. What is no valid arrangement stays none.
void make_canonical(ExplicitSpec& spec);

}  // namespace hearsay
