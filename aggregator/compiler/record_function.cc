#include "aggregator/compiler/record_function.h"

#include <cstdint>

#include "common/arrangement/arrangement.h"
#include "common/schema/universe.h"

namespace hearsay::compiler {

std::vector<double> record_function(const Task& task, const LinearQuery& linear, Work& work) {
  std::vector<double> function;
  std::vector<std::int8_t> embedding(task.arrangement().dimension());
  for (const Record& record : universe_of(task.asked_schema())) {
    double value = linear.offset;
    if (!linear.weights.empty()) {
      work.spend(embedding.size());
      task.arrangement().encode(record, embedding);
    }
    for (const LinearQuery::Weight& weight : linear.weights) value += weight.value * embedding[weight.coordinate];
    function.push_back(value);
  }
  return function;
}

}  // namespace hearsay::compiler
