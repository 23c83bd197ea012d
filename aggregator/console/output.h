// Prints a command's answer as a table for people, as CSV or as JSON, and writes its files. Nothing that could not be
// written counts as success.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "aggregator/console/table.h"
#include "common/base/json.h"
#include "hearsay/result.h"

namespace CLI {
class App;
}

namespace hearsay::console {

enum class OutputFormat { kText, kJson, kCsv };

// Adds the option -o, --output.
void add_output_flag(CLI::App& command, OutputFormat& format);

// A table's number: short for people, exact in CSV.
std::string number(double value, OutputFormat format);

// Writes the table (text, CSV) or the document (JSON) to standard output.
void print(const Table& table, const Json& json, OutputFormat format);

// Writes out what std::cout holds. Errors: kIo if anything that was put into std::cout could not be written.
Result<void> flush_output();

// Ends a program's output: returns `status` if flush_output() succeeds. Otherwise prints the error on standard error
// and returns 2.
int finish_output(const std::string& program, int status);

// Where a command writes a file, and whether the file may replace another one.
struct OutputFile {
  std::string path;  // empty: none
  bool overwrite = false;

  // Adds the options `flag`, which is explained as `what`, and --overwrite.
  void add_to(CLI::App& command, const std::string& what, const std::string& flag = "--write");
  // Returns an error if the file exists and may not be replaced. For a look before long work. Errors: kInvalidArgument.
  Result<void> check() const;
  // Writes the whole file. A new file gets the permissions `mode`, less the umask, and is removed again if writing
  // fails. A file that is replaced keeps no other permissions than these. Errors: those of check(), kIo.
  Result<void> write(std::string_view text, mode_t mode = 0666) const;
};

}  // namespace hearsay::console
