// Which two databases a central mechanism must not tell apart.
#pragma once

namespace hearsay::central {

// Pure ε-differential privacy: Pr[z|D] <= e^ε Pr[z|D'] for every output z and all neighbours D, D'.
enum class Neighbours {
  kAddRemove,   // D' is D with one record more or less; the number of records is private
  kReplaceOne,  // D' is D with one record changed; the number of records is public
};

}  // namespace hearsay::central
