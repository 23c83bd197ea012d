// The whole of an app's side: fetch the task, agree to it, randomize one record on the device, upload the report.
#include <charconv>
#include <iostream>
#include <string>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/try.h"
#include "hearsay/client.h"
#include "hearsay/ledger.h"

namespace {

using namespace hearsay;

// Arguments: host, port, file with the certificate authorities, task id, record as JSON.
Result<void> report_once(char** arguments) {
  sdk::ServerOptions server;
  server.host = arguments[0];
  const std::string_view port = arguments[1];
  if (std::from_chars(port.data(), port.data() + port.size(), server.port).ptr != port.data() + port.size()) {
    return Error{ErrorCode::kInvalidArgument, "the port is no number up to 65535"};
  }
  server.ca_file = arguments[2];
  HEARSAY_TRY(const auto transport, sdk::make_https_transport(server));

  HEARSAY_TRY(const TaskId task, TaskId::parse(arguments[3]));
  HEARSAY_TRY(const Epsilon most, Epsilon::parse("4"));  // what this app is ready to spend on one report
  sdk::MemoryLedger ledger(most);
  sdk::MemoryOutbox outbox;
  HEARSAY_TRY(sdk::Client client,
              sdk::Client::create({task, most, {}, "", {}}, {*transport, ledger, outbox, system_clock()}));

  HEARSAY_TRY(const Record record, Record::parse(client.task().schema(), arguments[4]));
  return client.submit(record);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: report_once HOST PORT CA_FILE TASK RECORD\n";
    return 2;
  }
  if (const auto reported = report_once(argv + 1); !reported) {
    std::cerr << error_name(reported.error().code) << ": " << reported.error().message << '\n';
    return 1;
  }
  std::cout << "reported\n";
  return 0;
}
