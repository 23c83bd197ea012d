#include "aggregator/compiler/linear_query.h"

namespace hearsay::compiler {

std::string_view guarantee_name(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::kWorstCase:
      return "worst-case";
    case Guarantee::kAverageCase:
      break;
  }
  return "average-case";
}

}  // namespace hearsay::compiler
