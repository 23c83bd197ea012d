// A whole client app. Fetches the task, and checks the task against the app's own limits. Pays for one report from the
// person's ledger, randomizes one record on the device, and uploads the report.
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

// Reads the record, which is JSON. With the file of a companion document, the JSON holds raw texts, and the companion
// document says which values they mean.
Result<Record> read_record(const Schema& schema, const char* json, const char* companion_file) {
  if (companion_file == nullptr) return Record::parse(schema, json);
  std::ifstream file(companion_file);
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  const auto companion = Companion::parse(schema, document);
  if (!companion) return companion.error();
  return companion->record_from_json(json);
}

// Arguments: host, port, file with the certificate authorities, task id, record, file with the person's ledger, then
// the file of a companion document if there is one, then NULL.
Result<void> report_once(char** arguments) {
  sdk::ServerOptions server;
  server.host = arguments[0];
  const std::string_view port = arguments[1];
  const auto [end, fault] = std::from_chars(port.data(), port.data() + port.size(), server.port);
  if (fault != std::errc() || end != port.data() + port.size()) {
    return Error{ErrorCode::kInvalidArgument, "PORT must be a number up to 65535"};
  }
  server.ca_file = arguments[2];
  if (const char* token = std::getenv("HEARSAY_TOKEN")) server.upload_token = token;
  const auto transport = sdk::make_https_transport(server);
  if (!transport) return transport.error();

  const auto task = TaskId::parse(arguments[3]);
  if (!task) return task.error();
  const Epsilon most = Epsilon::parse("4").value();  // the largest ε that this app accepts for one report
  // The ledger allows each task one report a week, and all tasks together ε = 4 a week.
  const auto ledger = sdk::Ledger::open({.file = arguments[5], .policy = {std::chrono::hours(7 * 24), most}});
  if (!ledger) return ledger.error();
  const auto clock = make_system_clock();
  auto client = sdk::Client::create({*task, most, {}, "", {}}, {**transport, **ledger, *clock});
  if (!client) return client.error();

  const auto record = read_record(client->task().schema(), arguments[4], arguments[6]);
  if (!record) return record.error();
  const auto paid = client->submit(*record);  // submit() uses no network
  if (!paid) return paid.error();
  const auto sent = client->flush(std::chrono::seconds(30));  // an app uploads later: hearsay/background_flush.h
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
