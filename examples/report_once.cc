// The whole of an app's side: fetch the task, agree to it, randomize one record on the device, upload the report.
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "hearsay/client.h"

namespace {

using namespace hearsay;

// Arguments: host, port, file with the certificate authorities, task id, record as JSON.
Result<void> report_once(char** arguments) {
  sdk::ServerOptions server;
  server.host = arguments[0];
  const std::string_view port = arguments[1];
  const auto [end, fault] = std::from_chars(port.data(), port.data() + port.size(), server.port);
  if (fault != std::errc() || end != port.data() + port.size()) {
    return Error{ErrorCode::kInvalidArgument, "PORT is no number up to 65535"};
  }
  server.ca_file = arguments[2];
  if (const char* token = std::getenv("HEARSAY_TOKEN")) server.upload_token = token;  // where reports need one
  const auto transport = sdk::make_https_transport(server);
  if (!transport) return transport.error();

  const auto task = TaskId::parse(arguments[3]);
  if (!task) return task.error();
  const Epsilon most = Epsilon::parse("4").value();  // what this app is ready to spend on one report
  const auto ledger = sdk::make_memory_ledger(most);
  const auto outbox = sdk::make_memory_outbox();
  const auto clock = make_system_clock();
  auto client = sdk::Client::create({*task, most, {}, "", {}}, {**transport, *ledger, *outbox, *clock});
  if (!client) return client.error();

  const auto record = Record::parse(client->task().schema(), arguments[4]);
  if (!record) return record.error();
  return client->submit(*record);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr
        << "usage: report_once HOST PORT CA_FILE TASK RECORD      (RECORD is JSON: {\"smoker\": true, \"age\": 33})\n"
           "The variable HEARSAY_TOKEN holds the upload_token, where the aggregator asks for one with each report.\n";
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
