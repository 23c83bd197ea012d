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

std::uint64_t bytes_of(const LinearQuery& linear) {
  std::uint64_t bytes = linear.weights.size() * sizeof(LinearQuery::Weight) + linear.terms.size() * sizeof(ProductTerm);
  for (const ProductTerm& term : linear.terms) {
    for (const ProductTerm::Part& part : term.parts) bytes += sizeof(part) + part.weights.size() * sizeof(double);
  }
  return bytes;
}

}  // namespace hearsay::compiler
