// Prints a command's answer as a table for people, as CSV or as JSON.
#pragma once

#include <string>

#include "aggregator/console/table.h"
#include "common/base/json.h"

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

}  // namespace hearsay::console
