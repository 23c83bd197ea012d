// hearsay_load: keeps many TLS connections to a server busy. Prints one JSON object of results.
#include <arpa/inet.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/base/try.h"
#include "common/report/report.h"
#include "tests/bench/load/generator.h"

namespace hearsay::load {
namespace {

struct Flags {
  std::string mode;
  std::string host = "127.0.0.1";
  LoadOptions load;
  std::string task;
  RequestShape shape{"", std::string(kReportsMediaType), true};
  bool without_prefer = false;
  std::uint64_t reports = 1000;
  std::size_t payloads = 4096;
  std::size_t size = 64;
  std::uint64_t duplicate_every = 0;
  std::uint64_t copies = 1;
  std::string journal;
  std::vector<std::string> replay;
  std::string ready_file;
};

Result<Task> read_task(const std::string& path) {
  std::ifstream in(path);
  return Task::parse(std::string(std::istreambuf_iterator<char>(in), {}));
}

Result<std::unique_ptr<Work>> make_work(Flags& flags, std::optional<Journal>& journal) {
  if (flags.mode == "raw" || flags.mode == "idle" || flags.load.handshake_only) {
    return std::unique_ptr<Work>(std::make_unique<RawWork>(flags.shape, flags.size, 0));
  }
  HEARSAY_TRY(const Task task, read_task(flags.task));
  if (flags.shape.path.empty()) flags.shape.path = "/v1/tasks/" + task.id().to_string() + "/reports";
  if (flags.mode == "replay") {
    JournalContents contents;
    for (const std::string& file : flags.replay) HEARSAY_CHECK_OK(read_journal(file, contents));
    return std::unique_ptr<Work>(std::make_unique<ReplayWork>(flags.shape, std::move(contents)));
  }
  const std::size_t reports = flags.mode == "batch" ? flags.reports : 1;
  HEARSAY_TRY(ReportTemplates templates, ReportTemplates::create(task, flags.shape, reports, flags.payloads));
  return std::unique_ptr<Work>(std::make_unique<ReportWork>(std::move(templates), flags.duplicate_every, flags.copies,
                                                            journal ? &*journal : nullptr));
}

nlohmann::json latencies(const Histogram& latency) {
  const auto micro = [](std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; };
  return {{"p50", micro(latency.quantile(0.5))},
          {"p90", micro(latency.quantile(0.9))},
          {"p99", micro(latency.quantile(0.99))},
          {"p99.9", micro(latency.quantile(0.999))},
          {"max", micro(latency.largest())}};
}

nlohmann::json to_json(const LoadResult& result) {
  const double seconds = result.seconds > 0 ? result.seconds : 1;
  const auto rate = [&](std::uint64_t count) { return static_cast<double>(count) / seconds; };
  nlohmann::json statuses = nlohmann::json::object();
  for (const auto& [status, count] : result.statuses) statuses[std::to_string(status)] = count;
  nlohmann::json json{{"requests", result.requests},
                      {"reports", result.reports},
                      {"rejected", result.rejected},
                      {"seconds", result.seconds},
                      {"requests_per_second", rate(result.requests)},
                      {"reports_per_second", rate(result.reports)},
                      {"body_mb_per_second", rate(result.body_bytes) / 1e6},
                      {"latency_us", latencies(result.latency)},
                      {"statuses", std::move(statuses)},
                      {"errors", result.errors},
                      {"retries", result.retries},
                      {"established", result.established},
                      {"open_at_end", result.open_at_end},
                      {"full_handshakes_per_second", rate(result.full_handshakes)},
                      {"resumed_handshakes_per_second", rate(result.resumed_handshakes)},
                      {"own_cpu_seconds", result.own_cpu_seconds},
                      {"server_cpu_seconds", result.server.cpu_seconds},
                      {"server_resident_bytes", result.server.resident_bytes}};
  for (const Interval& interval : result.intervals) {
    json["intervals"].push_back({{"begin", interval.begin},
                                 {"requests", interval.requests},
                                 {"p50_us", static_cast<double>(interval.p50) / 1000},
                                 {"p99_us", static_cast<double>(interval.p99) / 1000}});
  }
  const double requests = result.requests == 0 ? 1 : static_cast<double>(result.requests);
  json["own_cpu_us_per_request"] = 1e6 * result.own_cpu_seconds / requests;
  json["server_cpu_us_per_request"] = 1e6 * result.server.cpu_seconds / requests;
  return json;
}

Result<int> run(Flags& flags) {
  in_addr address{};
  if (inet_pton(AF_INET, flags.host.c_str(), &address) != 1) {
    return Error{ErrorCode::kInvalidArgument, "--host is an IPv4 address"};
  }
  flags.load.host = address.s_addr;
  flags.shape.prefer_minimal = !flags.without_prefer;
  flags.load.reconnect_each = flags.mode == "handshake";
  flags.load.handshake_only = flags.mode == "handshake" && flags.task.empty();
  flags.load.idle = flags.load.frugal = flags.mode == "idle";
  if (flags.mode == "replay") flags.load.seconds = 3600;  // the run ends when everything is sent
  std::optional<Journal> journal;
  if (!flags.journal.empty()) {
    HEARSAY_TRY(journal, Journal::create(flags.journal));
  }
  HEARSAY_TRY(const std::unique_ptr<Work> work, make_work(flags, journal));
  HEARSAY_TRY(const auto generator, Generator::create(flags.load, *work, [&] {
                if (!flags.ready_file.empty()) std::ofstream(flags.ready_file) << "ready\n";
              }));
  nlohmann::json json = to_json(generator->run());
  if (const auto* replay = dynamic_cast<const ReplayWork*>(work.get())) {
    const ReplayWork::Counts counts = replay->counts();
    json["replay"] = {{"acknowledged", counts.acknowledged},
                      {"lost", counts.lost},
                      {"open", counts.open},
                      {"open_stored", counts.open_stored},
                      {"unresolved", counts.unresolved}};
  }
  std::cout << json.dump(2) << '\n';
  if (journal && !journal->finish()) return Error{ErrorCode::kInternal, "the journal could not be written"};
  return 0;
}

void add_flags(CLI::App& app, Flags& flags) {
  app.add_option(
         "mode", flags.mode,
         "single: a report a request; batch: --reports of them; raw: an opaque body of --size bytes; handshake: a "
         "connection for every report, without --task none; idle: connections without requests; replay: the bodies of "
         "journals again")
      ->required()
      ->check(CLI::IsMember({"single", "batch", "raw", "handshake", "idle", "replay"}));
  app.add_option("--host", flags.host, "IPv4 address")->capture_default_str();
  app.add_option("--port", flags.load.port)->required();
  app.add_option("--also-port", flags.load.also_port, "Every second connection goes to this port");
  app.add_option("--task", flags.task, "File with the document of the task that gets the reports")
      ->check(CLI::ExistingFile);
  app.add_option("--path", flags.shape.path, "Path of the requests; default: that of the task's reports");
  app.add_option("--connections", flags.load.connections)->capture_default_str()->check(CLI::Range(1, 100000));
  app.add_option("--sources", flags.load.sources,
                 "Connect from this many addresses, from 127.0.0.1 on; 0: the system chooses")
      ->check(CLI::Range(0, 65536));
  app.add_option("--seconds", flags.load.seconds, "Measured time")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 86400.0));
  app.add_option("--warmup", flags.load.warmup, "Seconds of load before the measured time")
      ->check(CLI::Range(0.0, 3600.0));
  app.add_option("--interval", flags.load.interval_seconds, "Also report latencies of intervals of this many seconds")
      ->check(CLI::Range(0.0, 86400.0));
  app.add_option("--requests", flags.load.requests, "The most requests; 0: no limit");
  app.add_option("--think", flags.load.think_seconds, "Seconds between an answer and the next request")
      ->check(CLI::Range(0.0, 3600.0));
  app.add_option("--timeout", flags.load.timeout_seconds, "Seconds for a handshake or an answer")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 3600.0));
  app.add_option("--attempts", flags.load.attempts,
                 "Attempts to send a request whose connection breaks or that gets a 503")
      ->capture_default_str();
  app.add_option("--reports", flags.reports, "Reports a batch")->capture_default_str()->check(CLI::Range(1, 1000000));
  app.add_option("--payloads", flags.payloads, "Different randomized payloads")->capture_default_str();
  app.add_option("--size", flags.size, "Bytes of a raw body")->capture_default_str();
  app.add_flag("--no-prefer", flags.without_prefer, "Do not send Prefer: return=minimal");
  app.add_flag("--resume", flags.load.resume, "Resume TLS sessions");
  app.add_option("--duplicate-every", flags.duplicate_every,
                 "Send each body whose number is a multiple of this twice more; 0: none");
  app.add_option("--copies", flags.copies, "Send each body this many times in a row, over the free connections")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--journal", flags.journal, "Write all bodies, and which of them were acknowledged, to this file");
  app.add_option("--replay", flags.replay, "Journal to replay; may be repeated")->check(CLI::ExistingFile);
  app.add_flag("--until-refused", flags.load.until_refused, "End when no server listens any more");
  app.add_option("--server-pid", flags.load.server, "Process whose processor time and memory are reported");
  app.add_option("--ready-file", flags.ready_file, "File that is written once all connections are open");
}

}  // namespace
}  // namespace hearsay::load

int main(int argc, char** argv) {
  using namespace hearsay;
  CLI::App app("hearsay_load: a load generator for reports, on one thread; prints one JSON object.");
  load::Flags flags;
  load::add_flags(app, flags);
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGPIPE, SIG_IGN);  // a broken connection is a counted error, not the end of the program
  const auto done = load::run(flags);
  if (done) return *done;
  std::cerr << "hearsay_load: " << done.error().message << '\n';
  return 2;
}
