// Which end of an ordered domain is asked for.
#pragma once

namespace hearsay::central {

enum class Extreme {
  kMaximum,
  kMinimum,
};

}  // namespace hearsay::central
