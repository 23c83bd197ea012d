#include "aggregator/cli/commands.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "common/base/try.h"

namespace hearsay::aggregator {

void ServerFlags::add_to(CLI::App& command) {
  command.add_option("--server", server.url, "URL of the aggregator")->capture_default_str();
  command.add_option("--ca", server.ca_file,
                     "PEM file with the certificate authorities to trust; default: the system's");
  command.add_option("--certificate", server.certificate,
                     "PEM file with this client's certificate, where the aggregator asks for one");
  command.add_option("--private-key", server.private_key,
                     "PEM file with the certificate's key; default: the certificate's file");
  command.add_option("--token-file", token_file, "File with the bearer token; default: the variable HEARSAY_TOKEN");
}

Result<Server> ServerFlags::resolve() const {
  Server resolved = server;
  if (!token_file.empty()) {
    HEARSAY_TRY(const std::string text, read_file(token_file));
    resolved.token = text.substr(0, text.find_first_of(" \r\n"));
  } else if (const char* token = std::getenv("HEARSAY_TOKEN"); token != nullptr) {
    resolved.token = token;
  }
  return resolved;
}

void add_output_flag(CLI::App& command, OutputFormat& format) {
  static const std::map<std::string, OutputFormat> kFormats{
      {"text", OutputFormat::kText}, {"json", OutputFormat::kJson}, {"csv", OutputFormat::kCsv}};
  command.add_option("-o,--output", format, "text, json or csv")
      ->transform(CLI::CheckedTransformer(kFormats, CLI::ignore_case).description(""));
}

Result<std::string> read_file(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{ErrorCode::kIo, "cannot read '" + path + "'"};
  text << in.rdbuf();
  return text.str();
}

Result<Task> read_task(const std::string& path) {
  HEARSAY_TRY(const std::string text, read_file(path));
  return Task::parse(text);
}

Result<std::vector<std::string>> collect_queries(const std::vector<std::string>& arguments, const std::string& file) {
  std::vector<std::string> queries = arguments;
  if (!file.empty()) {
    HEARSAY_TRY(const std::string text, read_file(file));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first != std::string::npos && line[first] != '#') queries.push_back(line);
    }
  }
  if (queries.empty()) return Error{ErrorCode::kInvalidArgument, "no query given"};
  return queries;
}

Result<std::vector<Query>> parse_queries(const Schema& schema, const std::vector<std::string>& texts) {
  std::vector<Query> queries;
  for (const std::string& text : texts) {
    Result<Query> query = Query::parse(schema, text);
    if (!query) return Error{query.error().code, "query '" + text + "': " + query.error().message};
    queries.push_back(*std::move(query));
  }
  return queries;
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
      std::cout << json.dump(2) << '\n';
      break;
  }
}

}  // namespace hearsay::aggregator
