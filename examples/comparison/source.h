// The command-line options that say where the people come from.
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
  std::size_t synthetic = 0;  // number of synthetic attributes; 0: the people are not synthetic
  std::uint32_t values = 0;   // number of values of each synthetic attribute; 0: the attributes are booleans
  bool uniform = false;
  std::uint64_t seed = 1973;

  void add_to(CLI::App& app);
};

struct Source {
  std::string name;
  Population people;
};

// Reads the CSV file, or makes the people of --synthetic. If neither option is given, returns the Berkeley admissions
// of 1973. Errors: those of reading the file.
Result<Source> load(const SourceFlags& flags);

// Returns numbers of values for a chart, ascending: the powers of two from 8 to below `most`, and `most`.
std::vector<std::uint32_t> values_up_to(std::uint32_t most);

// Returns numbers of users for a chart, ascending: two for each factor of ten, from about 300 up to `most`.
std::vector<std::size_t> sizes_up_to(std::size_t most);

}  // namespace hearsay::examples
