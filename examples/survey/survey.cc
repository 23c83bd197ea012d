// A desktop app: asks one question on the terminal, and reports the answer in the background.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "hearsay/background_flush.h"
#include "hearsay/client.h"

namespace {

using namespace hearsay;

// The app's own limits, which no task can change: only this question, once in 90 days, at a cost of at most ε = 2.
constexpr const char* kSchema = R"([{"name": "smoker", "type": "boolean"}])";
constexpr const char* kEpsilon = "2";
constexpr std::chrono::hours kPeriod{90 * 24};
// A random delay, which hides when the person answered. One second suits a demonstration; a real app takes hours.
constexpr sdk::RandomDelay kDelay{sdk::RandomDelay::Law::kUniform, std::chrono::seconds(1)};

// Returns the file in the user's data directory. Keep the file out of backups: a restored copy lacks later payments.
std::string ledger_file() {
  const char* data = std::getenv("XDG_DATA_HOME");
  const char* home = std::getenv("HOME");
  const std::filesystem::path base = data ? data : std::filesystem::path(home ? home : ".") / ".local/share";
  std::filesystem::create_directories(base / "survey");
  return base / "survey/ledger";
}

void answer(const std::string& line, sdk::Client& client, sdk::Ledger& ledger, sdk::BackgroundFlush& background) {
  if (line == "yes" || line == "no") {
    const auto paid = client.submit_json(line == "yes" ? R"({"smoker": true})" : R"({"smoker": false})");
    if (!paid) std::cout << paid.error().message << std::endl;
    if (paid) std::cout << (*paid == sdk::Payment::kReported ? "thank you" : "you have answered already") << std::endl;
    background.wake();
  } else if (line == "log") {
    const auto log = ledger.outbox().log(100);
    const char* const states[] = {"waits", "sent", "given up"};
    for (std::size_t i = 0; log && i < log->size(); ++i) {
      const sdk::LoggedReport& one = (*log)[i];
      std::cout << one.title << ": epsilon " << one.epsilon.to_string() << ", " << one.bytes.size() << " bytes, "
                << states[static_cast<std::size_t>(one.state)] << std::endl;
    }
  } else if (line == "stop") {
    const auto stopped = client.opt_out();
    std::cout << (stopped ? "this app reports nothing any more" : stopped.error().message) << std::endl;
  }
}

// Arguments: host, port, file with the certificate authorities, file with the task.
Result<void> survey(char** arguments) {
  const auto port = static_cast<std::uint16_t>(std::atoi(arguments[1]));
  const auto transport = sdk::make_https_transport({.host = arguments[0], .port = port, .ca_file = arguments[2]});
  if (!transport) return transport.error();
  std::ifstream file(arguments[3]);
  if (!file) return Error{ErrorCode::kIo, std::string(arguments[3]) + " cannot be read"};
  const auto task = Task::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  if (!task) return task.error();
  const Epsilon most = Epsilon::parse(kEpsilon).value();
  const auto ledger = sdk::Ledger::open({.file = ledger_file(), .policy = {kPeriod, most}});
  if (!ledger) return ledger.error();
  const auto clock = make_system_clock();
  const sdk::ClientOptions options{.task = task->id(), .max_epsilon = most, .expected_schema = *Schema::parse(kSchema)};
  auto client = sdk::Client::create(options, *task, {**transport, **ledger, *clock});
  if (!client) return client.error();
  const auto tell = [](const Result<sdk::FlushSummary>& sent) {
    if (sent && sent->delivered > 0) std::cout << "your report was sent" << std::endl;
    if (sent && sent->pending > 0 && sent->problem)
      std::cout << "your report waits: " << sent->problem->message << std::endl;
  };
  const auto background = sdk::BackgroundFlush::start(*client, {.delay = kDelay, .outcome = tell});
  if (!background) return background.error();
  std::cout << "Do you smoke? Nobody learns your answer: it is randomized on this device.\n"
               "Type yes or no; log, stop (for good) or quit."
            << std::endl;
  for (std::string line; std::getline(std::cin, line) && line != "quit";) answer(line, *client, **ledger, **background);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const Error usage{ErrorCode::kInvalidArgument, "usage: survey HOST PORT CA_FILE TASK_FILE"};
  const Result<void> done = argc == 5 ? survey(argv + 1) : usage;
  if (!done) std::cerr << done.error().message << '\n';
  return done ? 0 : 2;
}
