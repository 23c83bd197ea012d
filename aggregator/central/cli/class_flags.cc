#include "aggregator/central/cli/class_flags.h"

#include <CLI/CLI.hpp>

#include "aggregator/central/dimensions/named_class.h"
#include "aggregator/console/arguments.h"
#include "aggregator/console/input.h"
#include "common/base/try.h"

namespace hearsay::central {

void ClassFlags::add_to(CLI::App& command) {
  std::string names;
  for (const std::string& one : class_names()) names += (names.empty() ? "" : ", ") + one;
  command.add_option("class", name, "The class of queries: " + names);
  console::require_whole(
      *command.add_option("--size", size, "Number of elements; for conjunctions and parities, number of bits")
           ->capture_default_str(),
      1, 5'000);
  CLI::Option* path = command.add_option(
      "--queries", file,
      "File with one query on each line: the elements' weights, each in [0, 1], with commas between them");
  CLI::Option* step = command.add_option("--unit", unit, "Weights of the file are rounded to multiples of 1/unit");
  console::require_whole(*step->capture_default_str()->needs(path), 1, QueryClass::kLargestUnit);
}

Result<QueryClass> ClassFlags::load() const {
  if (name.empty() == file.empty()) {
    return Error{ErrorCode::kInvalidArgument, "name one class of queries, or give a file of queries with --queries"};
  }
  if (file.empty()) return named_class(name, size);
  HEARSAY_TRY(const std::string lines, console::read_text(file));
  return console::named(file, parse_class(lines, unit));
}

std::string ClassFlags::text() const { return file.empty() ? name + " of size " + std::to_string(size) : file; }

}  // namespace hearsay::central
