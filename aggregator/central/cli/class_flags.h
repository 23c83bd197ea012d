// The options that say which class of queries a subcommand works on.
#pragma once

#include <cstdint>
#include <string>

#include "aggregator/central/synthetic/query_class.h"

namespace CLI {
class App;
}

namespace hearsay::central {

struct ClassFlags {
  std::string name;
  std::uint32_t size = 4;
  std::string file;
  std::uint64_t unit = 100;

  void add_to(CLI::App& command);
  // Errors: kInvalidArgument unless there is either a name or a file; those of named_class() and parse_class().
  Result<QueryClass> load() const;
  std::string text() const;
};

}  // namespace hearsay::central
