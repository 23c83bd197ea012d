#include "common/schema/universe.h"

#include <cstdint>

namespace hearsay {

std::vector<Record> universe_of(const Schema& schema) {
  const std::uint64_t universe = schema.universe_size().value();
  std::vector<Record> records;
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

}  // namespace hearsay
