// The options by which the drivers get people and questions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/population/population.h"

namespace CLI {
class App;
}

namespace hearsay::examples {

struct SourceFlags {
  CsvFile csv;
  std::string schema;
  std::size_t synthetic = 0;  // attributes; 0: none
  std::uint32_t values = 0;   // values of each synthetic attribute, which is then ordered; 0: synthetic attributes are
                              // booleans
  bool uniform = false;
  std::uint64_t seed = 1973;

  void add_to(CLI::App& app);
};

struct Source {
  std::string name;
  Population people;
};

// Reads the CSV file or makes the made-up table. Without either option: the Berkeley admissions of 1973. Errors: those
// of reading the file.
Result<Source> load(const SourceFlags& flags);

// Numbers of values for a chart, ascending: the powers of two from 8 to below `most`, and `most`.
std::vector<std::uint32_t> values_up_to(std::uint32_t most);

// Numbers of users for a chart, ascending: two for each factor of ten, from about 300 up to `most`.
std::vector<std::size_t> sizes_up_to(std::size_t most);

}  // namespace hearsay::examples
