#include "aggregator/compiler/record_function.h"

#include <cstdint>

#include "common/arrangement/arrangement.h"

namespace hearsay::compiler {

std::vector<Record> universe_of(const Schema& schema) {
  std::vector<Record> records;
  const std::uint64_t universe = schema.universe_size().value();
  records.reserve(universe);
  std::vector<std::uint32_t> values(schema.size(), 0);
  for (std::uint64_t number = 0; number < universe; ++number) {
    std::uint64_t rest = number;
    for (std::size_t i = schema.size(); i-- > 0; rest /= schema[i].size()) {
      values[i] = static_cast<std::uint32_t>(rest % schema[i].size());
    }
    records.push_back(Record::create(schema, values).value());
  }
  return records;
}

std::vector<double> record_function(const Task& task, const LinearQuery& linear, Work& work) {
  std::vector<double> function;
  std::vector<std::int8_t> embedding(task.arrangement().dimension());
  for (const Record& record : universe_of(task.schema())) {
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
