// The program hearsayd, which is the aggregator's daemon.
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>

#include "aggregator/console/arguments.h"
#include "aggregator/console/output.h"
#include "aggregator/console/program_start.h"
#include "aggregator/daemon/config_file.h"
#include "aggregator/daemon/daemon.h"
#include "aggregator/daemon/log.h"
#include "aggregator/daemon/process.h"
#include "aggregator/daemon/ready_file.h"
#include "aggregator/http/certificate.h"
#include "aggregator/http/tls.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::daemon {
namespace {

// The exit statuses that aggregator/docs/operations.md explains.
constexpr int kFailed = 1;
constexpr int kBadConfiguration = 2;

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
  bool check_config = false;
};

void add_flags(CLI::App& app, Flags& flags) {
  app.set_version_flag("--version", HEARSAY_VERSION);
  app.add_option("-c,--config", flags.config_file, "Configuration file, strict JSON");
  app.add_option("--store", flags.store, "Directory of the store, or URI of a database, without a password");
  app.add_option("--certificate", flags.certificate, "PEM file with the TLS certificate chain");
  app.add_option("--private-key", flags.private_key, "PEM file with the certificate's key");
  app.add_option("--listen", flags.listen, "Address and port of the API, e.g. 0.0.0.0:8443");
  app.add_option("--operator-listen", flags.operator_listen, "Address and port of /healthz, /readyz and /metrics");
  app.add_option("--ready-file", flags.ready_file,
                 "File that the daemon writes when it is ready; it holds the ports and the pid");
  app.add_option("--log-level", flags.log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
  app.add_flag("--print-default-config", flags.print_default_config,
               "Print a configuration file with every key and its default, and end");
  app.add_flag(
      "--check-config", flags.check_config,
      "Check the configuration, the flags and the TLS files, and end: with status 0, or with status 2 and a message");
}

Result<Endpoint> parse_endpoint(const std::string& flag, const std::string& value) {
  auto endpoint = Endpoint::parse(value);
  if (!endpoint) return Error{endpoint.error().code, flag + ": " + endpoint.error().message};
  return endpoint;
}

Result<DaemonConfig> load_config(const Flags& flags) {
  DaemonConfig config;
  if (!flags.config_file.empty()) {
    HEARSAY_TRY(config, read_config_file(flags.config_file));
  }
  const auto override_with = [](const std::string& flag, std::string& setting) {
    if (!flag.empty()) setting = flag;
  };
  override_with(flags.store, config.store);
  override_with(flags.certificate, config.certificate);
  override_with(flags.private_key, config.private_key);
  override_with(flags.ready_file, config.ready_file);
  if (!flags.log_level.empty()) config.log_level = *parse_log_level(flags.log_level);
  if (!flags.listen.empty()) {
    HEARSAY_TRY(config.listen, parse_endpoint("--listen", flags.listen));
  }
  if (!flags.operator_listen.empty()) {
    HEARSAY_TRY(config.operator_listen, parse_endpoint("--operator-listen", flags.operator_listen));
  }
  HEARSAY_CHECK_OK(check_config(config));
  return config;
}

// Reloads the tokens and the certificate. If one of the two cannot be reloaded, the other is still reloaded. The log
// has both results.
void reload(Daemon& daemon, const Flags& flags, Log& log) {
  if (auto config = load_config(flags)) {
    daemon.replace_tokens(std::move(config->tokens), config->uploads);
  } else {
    log.write(LogLevel::kError, "tokens_failed",
              {{"error", error_name(config.error().code)}, {"detail", config.error().message}});
  }
  static_cast<void>(daemon.reload_certificate());
}

void serve_until_told_to_stop(Daemon& daemon, const Flags& flags, const sigset_t& signals, Log& log) {
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    if (signal != SIGHUP) return;
    reload(daemon, flags, log);
  }
}

// Ignores signals that have no meaning for the daemon but would kill the process. Signals for faults of the program
// still kill the process.
void ignore_signals() {
  for (const int signal : {SIGPIPE,  // sent if the reader of the log has ended
                           SIGXFSZ,  // sent at a write beyond a file's size limit; the write also fails
                           SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT}) {
    std::signal(signal, SIG_IGN);
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) std::signal(signal, SIG_IGN);
}

Result<void> run(const Flags& flags, const DaemonConfig& config, Log& log) {
  ::umask(S_IRWXG | S_IRWXO);  // other users must not read the store and backups
  if (!forbid_core_dumps())
    return Error{ErrorCode::kInternal, "the system does not let this process switch core dumps off"};
  raise_descriptor_limit();

  // The signals are blocked before any thread starts, so that only sigwait() sees them.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGHUP, SIG_DFL);  // nohup makes SIGHUP ignored, and sigwait() does not see ignored signals

  HEARSAY_TRY(ReadyFile ready_file, ReadyFile::claim(config.ready_file));
  const std::unique_ptr<Clock> clock = make_system_clock();
  HEARSAY_TRY(const auto daemon, Daemon::start(config, *clock, &log));
  HEARSAY_CHECK_OK(
      ready_file.write({{"port", daemon->port()}, {"operator_port", daemon->operator_port()}, {"pid", ::getpid()}}));
  log.write(LogLevel::kInfo, "ready", {{"pid", ::getpid()}});
  serve_until_told_to_stop(*daemon, flags, signals, log);
  ready_file.remove();
  daemon->stop();
  return {};
}

void log_failure(Log& log, const Error& error) {
  log.write(LogLevel::kError, "failed", {{"error", error_name(error.code)}, {"detail", error.message}});
}

int print(std::string_view text) {
  std::cout << text;
  return console::finish_output("hearsayd", 0) == 0 ? 0 : kFailed;
}

int check(const Flags& flags) {
  const auto checked = [&flags]() -> Result<void> {
    HEARSAY_TRY(const DaemonConfig config, load_config(flags));
    http::TicketKeys keys;
    HEARSAY_TRY(const http::LoadedTls tls,
                http::load_tls_context({config.certificate, config.private_key, config.client_ca}, keys));
    for (const std::string& doubt : tls.certificate.doubts) std::cerr << "hearsayd: warning: " << doubt << '\n';
    const std::string fault = http::time_fault(tls.certificate, make_system_clock()->now());
    if (!fault.empty()) std::cerr << "hearsayd: warning: certificate '" << config.certificate << "': " << fault << '\n';
    return {};
  }();
  if (checked) return print("the configuration is valid\n");
  std::cerr << "hearsayd: " << checked.error().message << '\n';
  return kBadConfiguration;
}

int run(const Flags& flags) {
  if (flags.print_default_config) return print(render_config(DaemonConfig()));
  if (flags.check_config) return check(flags);
  Log log(LogLevel::kInfo);
  const auto config = load_config(flags);
  if (!config) {
    log_failure(log, config.error());
    return kBadConfiguration;
  }
  log.set_level(config->log_level);
  const auto result = run(flags, *config, log);
  if (result) return 0;
  log_failure(log, result.error());
  return kFailed;
}

void end_for_uncaught(const std::string& what) {
  Log log(LogLevel::kError);
  log_failure(log, {ErrorCode::kInternal, what});
}

}  // namespace
}  // namespace hearsay::daemon

int main(int argc, char** argv) {
  hearsay::console::end_on_uncaught_exception(hearsay::daemon::end_for_uncaught, hearsay::daemon::kFailed);
  hearsay::daemon::ignore_signals();
  if (!hearsay::console::fill_standard_descriptors()) return hearsay::daemon::kFailed;
  CLI::App app("hearsayd: receives randomized reports and answers counting queries about them.", "hearsayd");
  hearsay::daemon::Flags flags;
  hearsay::daemon::add_flags(app, flags);
  if (const auto ended = hearsay::console::parse_arguments(app, {argv + 1, argv + argc})) return *ended;
  return hearsay::daemon::run(flags);
}
