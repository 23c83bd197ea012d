#include "common/arrangement/linear_query.h"

namespace hearsay {

std::string_view guarantee_name(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::kWorstCase:
      return "worst-case";
    case Guarantee::kAverageCase:
      break;
  }
  return "average-case";
}

}  // namespace hearsay
