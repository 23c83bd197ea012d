// A whole client app: fetches the task, agrees to it, pays, randomizes one record on the device, and uploads the
// report.
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "hearsay/client.h"

namespace {

using namespace hearsay;

// The record is JSON. With a companion document's file, the record is JSON of raw texts, which the companion document
// reads.
Result<Record> read_record(const Schema& schema, const char* json, const char* companion_file) {
  if (companion_file == nullptr) return Record::parse(schema, json);
  std::ifstream file(companion_file);
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  const auto companion = Companion::parse(schema, document);
  if (!companion) return companion.error();
  return companion->record_from_json(json);
}

// Arguments: host, port, file with the certificate authorities, task id, record, the person's ledger, and perhaps the
// file of a companion document; then NULL.
Result<void> report_once(char** arguments) {
  sdk::ServerOptions server;
  server.host = arguments[0];
  const std::string_view port = arguments[1];
  const auto [end, fault] = std::from_chars(port.data(), port.data() + port.size(), server.port);
  if (fault != std::errc() || end != port.data() + port.size()) {
    return Error{ErrorCode::kInvalidArgument, "PORT must be a number up to 65535"};
  }
  server.ca_file = arguments[2];
  if (const char* token = std::getenv("HEARSAY_TOKEN")) server.upload_token = token;  // if reports need a token
  const auto transport = sdk::make_https_transport(server);
  if (!transport) return transport.error();

  const auto task = TaskId::parse(arguments[3]);
  if (!task) return task.error();
  const Epsilon most = Epsilon::parse("4").value();  // what this app is ready to spend on one report
  // Remembers the reports that were made. Allows each task one report a week, at a cost of ε = 4 in all.
  const auto ledger = sdk::Ledger::open({.file = arguments[5], .policy = {std::chrono::hours(7 * 24), most}});
  if (!ledger) return ledger.error();
  const auto clock = make_system_clock();
  auto client = sdk::Client::create({*task, most, {}, "", {}}, {**transport, **ledger, *clock});
  if (!client) return client.error();

  const auto record = read_record(client->task().schema(), arguments[4], arguments[6]);
  if (!record) return record.error();
  const auto paid = client->submit(*record);  // uses no network
  if (!paid) return paid.error();
  const auto sent = client->flush(std::chrono::seconds(30));  // an app: later, see hearsay/background_flush.h
  if (!sent) return sent.error();
  if (sent->problem) return *sent->problem;
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7 && argc != 8) {
    std::cerr
        << "usage: report_once HOST PORT CA_FILE TASK RECORD LEDGER [COMPANION_FILE]\n"
           "RECORD is JSON: {\"smoker\": true, \"age\": 33}; with COMPANION_FILE raw texts: {\"Smoker?\": \"Yes\"}\n"
           "The variable HEARSAY_TOKEN holds the upload_token, where the aggregator asks for one with each "
           "report.\n";
    return 2;
  }
  if (const auto reported = report_once(argv + 1); !reported) {
    std::cerr << "report_once: " << error_name(reported.error().code) << ": " << reported.error().message << '\n';
    return 2;
  }
  if (std::cout << "reported\n" << std::flush) return 0;
  std::cerr << "reported, but standard output cannot be written\n";
  return 2;
}
