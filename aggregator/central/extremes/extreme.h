// Which end of an ordered domain is asked for.
#pragma once

namespace hearsay::aggregator {

enum class Extreme {
  kMaximum,
  kMinimum,
};

}  // namespace hearsay::aggregator
