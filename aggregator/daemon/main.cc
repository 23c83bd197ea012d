// hearsayd: the aggregator's daemon.
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "aggregator/console/arguments.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/daemon/daemon.h"
#include "aggregator/daemon/log.h"
#include "aggregator/daemon/process.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::daemon {
namespace {

struct Flags {
  std::string config_file;
  std::string store;
  std::string certificate;
  std::string private_key;
  std::string listen;
  std::string operator_listen;
  std::string ready_file;
  std::string log_level;
  bool print_default_config = false;
};

void add_flags(CLI::App& app, Flags& flags) {
  app.add_option("-c,--config", flags.config_file, "Configuration file, strict JSON");
  app.add_option("--store", flags.store, "Directory of the store");
  app.add_option("--certificate", flags.certificate, "PEM file with the TLS certificate chain");
  app.add_option("--private-key", flags.private_key, "PEM file with the certificate's key");
  app.add_option("--listen", flags.listen, "Address and port of the API, e.g. 0.0.0.0:8443");
  app.add_option("--operator-listen", flags.operator_listen, "Address and port of /healthz, /readyz and /metrics");
  app.add_option("--ready-file", flags.ready_file, "Written once the daemon serves, with its ports and pid");
  app.add_option("--log-level", flags.log_level, "debug, info, warn or error");
  app.add_flag("--print-default-config", flags.print_default_config,
               "Print a configuration file with every key and its default, and end");
}

// The file's settings with the flags on top.
Result<DaemonConfig> load_config(const Flags& flags) {
  DaemonConfig config;
  if (!flags.config_file.empty()) {
    HEARSAY_TRY(const std::string text, console::read_file(flags.config_file));
    HEARSAY_TRY(config, parse_config(text));
  }
  const auto override_with = [](const std::string& flag, std::string& setting) {
    if (!flag.empty()) setting = flag;
  };
  override_with(flags.store, config.store);
  override_with(flags.certificate, config.certificate);
  override_with(flags.private_key, config.private_key);
  override_with(flags.ready_file, config.ready_file);
  override_with(flags.log_level, config.log_level);
  if (!flags.listen.empty()) {
    HEARSAY_TRY(config.listen, Endpoint::parse(flags.listen));
  }
  if (!flags.operator_listen.empty()) {
    HEARSAY_TRY(config.operator_listen, Endpoint::parse(flags.operator_listen));
  }
  HEARSAY_CHECK_OK(check_config(config));
  return config;
}

// Renamed into place, so that whoever waits for the file never reads half of it.
Result<void> write_ready_file(const std::string& path, const Daemon& daemon) {
  if (path.empty()) return {};
  const std::string temporary = path + ".new";
  std::ofstream out(temporary);
  out << Json{{"port", daemon.port()}, {"operator_port", daemon.operator_port()}, {"pid", ::getpid()}}.dump() << '\n';
  out.close();
  if (!out || std::rename(temporary.c_str(), path.c_str()) != 0) {
    return Error{ErrorCode::kIo, "cannot write the ready file '" + path + "'"};
  }
  return {};
}

void serve_until_told_to_stop(Daemon& daemon, const sigset_t& signals) {
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    if (signal != SIGHUP) return;
    static_cast<void>(daemon.reload_certificate());  // which logs what came of it; on failure the old one stays
  }
}

Result<void> run(const DaemonConfig& config, Log& log) {
  ::umask(S_IRWXG | S_IRWXO);  // the store and backups are nobody else's
  if (!forbid_core_dumps()) return Error{ErrorCode::kInternal, "the system does not let core dumps be forbidden"};
  raise_descriptor_limit();

  std::signal(SIGPIPE, SIG_IGN);  // the reader of the log may go
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is a failed write

  // Blocked before any thread starts, so that only sigwait() sees them.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  // One of a daemon that was killed would lie.
  std::remove(config.ready_file.c_str());
  const std::unique_ptr<Clock> clock = make_system_clock();
  HEARSAY_TRY(const auto daemon, Daemon::start(config, *clock, &log));
  HEARSAY_CHECK_OK(write_ready_file(config.ready_file, *daemon));
  log.write(LogLevel::kInfo, "ready", {{"pid", ::getpid()}});
  serve_until_told_to_stop(*daemon, signals);
  std::remove(config.ready_file.c_str());
  daemon->stop();
  return {};
}

int run(const Flags& flags) {
  if (flags.print_default_config) {
    std::cout << render_config(DaemonConfig());
    return console::finish_output("hearsayd", 0);
  }
  Log log(LogLevel::kInfo);
  const auto failed = [&log](const Error& error) {
    log.write(LogLevel::kError, "failed", {{"error", error_name(error.code)}, {"detail", error.message}});
    return 1;
  };
  const auto config = load_config(flags);
  if (!config) return failed(config.error());
  log.set_level(*parse_log_level(config->log_level));
  const auto result = run(*config, log);
  return result ? 0 : failed(result.error());
}

}  // namespace
}  // namespace hearsay::daemon

int main(int argc, char** argv) {
  CLI::App app("hearsayd: receives randomized reports and answers counting queries about them.", "hearsayd");
  hearsay::daemon::Flags flags;
  hearsay::daemon::add_flags(app, flags);
  if (const auto ended = hearsay::console::parse_arguments(app, {argv + 1, argv + argc})) return *ended;
  return hearsay::daemon::run(flags);
}
