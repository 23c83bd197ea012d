// Small schemas and all their records.
#pragma once

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "hearsay/record.h"
#include "hearsay/schema.h"

namespace hearsay::tests {

// Returns a schema from its shape, such as "b c3 r5": "b" is a boolean, "c3" a categorical attribute with 3 values,
// "r5" a range of 5 integers.
inline Schema schema_of(const std::string& shape) {
  std::vector<Attribute> attributes;
  std::istringstream words(shape);
  for (std::string word; words >> word;) {
    const std::string name = "a" + std::to_string(attributes.size());
    const int size = word == "b" ? 2 : std::stoi(word.substr(1));
    if (word[0] == 'b') {
      attributes.push_back(Attribute::boolean(name).value());
    } else if (word[0] == 'c') {
      std::vector<std::string> values;
      for (int i = 0; i < size; ++i) values.push_back("v" + std::to_string(i));
      attributes.push_back(Attribute::categorical(name, values).value());
    } else if (word[0] == 'r') {
      attributes.push_back(Attribute::range(name, -2, size - 3).value());
    } else {
      throw std::invalid_argument(shape);
    }
  }
  return Schema::create(std::move(attributes)).value();
}

// Returns every record of the schema. The last attribute changes fastest.
inline std::vector<Record> all_records(const Schema& schema) {
  std::vector<Record> records;
  std::vector<std::uint32_t> values(schema.size(), 0);
  for (;;) {
    records.push_back(Record::create(schema, values).value());
    std::size_t i = schema.size();
    while (i > 0 && values[i - 1] + 1 == schema[i - 1].size()) values[--i] = 0;
    if (i == 0) return records;
    ++values[i - 1];
  }
}

}  // namespace hearsay::tests
