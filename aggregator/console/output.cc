#include "aggregator/console/output.h"

#include "common/base/json_text.h"
#include "common/base/strict_json.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>

namespace hearsay::console {

void add_output_flag(CLI::App& command, OutputFormat& format) {
  static const std::map<std::string, OutputFormat> kFormats{
      {"text", OutputFormat::kText}, {"json", OutputFormat::kJson}, {"csv", OutputFormat::kCsv}};
  command.add_option("-o,--output", format, "text, json or csv")
      ->transform(CLI::CheckedTransformer(kFormats, CLI::ignore_case).description(""));
}

std::string number(double value, OutputFormat format) {
  return format == OutputFormat::kCsv ? exact_number(value) : short_number(value);
}

void print(const Table& table, const Json& json, OutputFormat format) {
  switch (format) {
    case OutputFormat::kText:
      std::cout << table.to_text();
      break;
    case OutputFormat::kCsv:
      std::cout << table.to_csv();
      break;
    case OutputFormat::kJson:
      std::cout << json_text(json, 2) << '\n';
      break;
  }
}

}  // namespace hearsay::console
