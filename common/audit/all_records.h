// The universe of a small schema.
#pragma once

#include <cstdint>
#include <vector>

#include "hearsay/record.h"

namespace hearsay {

// All `universe` records, the last attribute changing fastest.
std::vector<Record> all_records(const Schema& schema, std::uint64_t universe);

}  // namespace hearsay
