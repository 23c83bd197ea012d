// Prints a command's answer as a table for people, as CSV or as JSON, and writes the command's files. If a write fails,
// the command fails.
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

// Returns a number for a table: short for people, exact in CSV.
std::string number(double value, OutputFormat format);

// Writes the table (text, CSV) or the document (JSON) to standard output.
void print(const Table& table, const Json& json, OutputFormat format);

// Flushes standard output. Errors: kIo if any text that was put into std::cout could not be written.
Result<void> flush_output();

// Ends a program's output: returns `status` if flush_output() succeeds. Otherwise prints the error on standard error
// and returns 2.
int finish_output(const std::string& program, int status);

// States where a command writes a file, and whether the command may replace an existing file.
struct OutputFile {
  std::string path;  // empty if the command writes no file
  bool overwrite = false;

  // Adds the option `flag` with the help text `what`, and the option --overwrite.
  void add_to(CLI::App& command, const std::string& what, const std::string& flag = "--write");
  // Returns an error if the file exists and may not be replaced. Call this before long work. Errors: kInvalidArgument.
  Result<void> check() const;
  // Writes the whole file. A new file gets the permissions `mode`, less the umask. If writing fails, the new file is
  // removed. An existing file that is replaced loses the permissions that are not in `mode`. Errors: those of check(),
  // kIo.
  Result<void> write(std::string_view text, mode_t mode = 0666) const;
};

}  // namespace hearsay::console
