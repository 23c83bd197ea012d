// Tests hearsayd as a process of the operating system: limits, signals, standard error.
#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "aggregator/daemon/config.h"
#include "common/base/encoding.h"
#include "common/base/strict_json.h"
#include "tests/e2e/aggregator.h"
#include "tests/e2e/process.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/temporary_file.h"

namespace hearsay::e2e {
namespace {

class LoggingDaemon {
 public:
  // Starts the daemon with SIGHUP ignored, as nohup does. With `asks_clients`, clients need a certificate that the
  // daemon's own self-signed certificate has signed. The shell gets `redirections`.
  explicit LoggingDaemon(bool asks_clients = false, const std::string& log_file = "",
                         const std::string& redirections = "") {
    config = {{"store", directory_ / "store"},
              {"certificate", certificate.files().certificate},
              {"private_key", certificate.files().private_key},
              {"listen", "127.0.0.1:0"},
              {"operator_listen", "127.0.0.1:0"},
              {"ready_file", directory_ / "ready"},
              {"backup_directory", directory_ / "backups"},
              {"tokens", {{{"role", "admin"}, {"sha256", hex_encode(digest_of(kAdminToken))}}}}};
    if (asks_clients) config["client_ca"] = certificate.files().certificate;
    config.update(patient_limits());
    write_config(config.dump());
    process = std::make_unique<Process>("/bin/sh",
                                        std::vector<std::string>{"-c", "trap '' HUP; exec " + kHearsayd + " --config " +
                                                                           path("config.json") + " " + redirections},
                                        log_file.empty() ? path("log") : log_file);
    REQUIRE(http::eventually([this] { return std::filesystem::exists(directory_ / "ready"); }));
  }

  ~LoggingDaemon() { process.reset(); }  // the process must end before its directory is removed

  Json ready() const { return parse_json(tests::read_file(directory_ / "ready")).value(); }
  std::string log() const { return tests::read_file(directory_ / "log"); }
  // Waits until the log holds the event `times` times; returns false if it does not.
  bool logged(const std::string& event, std::size_t times = 1) const {
    return http::eventually([&] {
      const std::string text = log();
      std::size_t found = 0;
      for (std::size_t at = 0; (at = text.find("\"event\":\"" + event + "\"", at)) != std::string::npos; ++at) ++found;
      return found >= times;
    });
  }
  void write_config(const std::string& text) const { std::ofstream(path("config.json")) << text; }

  std::string path(const std::string& name) const { return directory_ / name; }

  http::TestCertificate certificate;
  std::unique_ptr<Process> process;
  Json config;

 private:
  tests::TemporaryDirectory directory_;
};

TEST_CASE("no core is dumped, and no argument holds a secret") {
  const LoggingDaemon daemon;
  const std::string proc = "/proc/" + std::to_string(daemon.process->pid());
  std::istringstream limits(tests::read_file(proc + "/limits"));
  bool found = false;
  for (std::string line; std::getline(limits, line);) {
    if (!line.starts_with("Max core file size")) continue;
    found = true;
    std::istringstream numbers(line.substr(std::string_view("Max core file size").size()));
    std::string soft;
    std::string hard;
    numbers >> soft >> hard;
    CHECK(soft == "0");
    CHECK(hard == "0");
  }
  CHECK(found);
  CHECK(tests::read_file(proc + "/cmdline").find(kAdminToken) == std::string::npos);
}

TEST_CASE("each line of the daemon's standard error is JSON, from the start to the end, also after signals") {
  LoggingDaemon daemon;
  CHECK(daemon.logged("ready"));
  daemon.certificate.renew(7);
  daemon.process->signal(SIGHUP);
  CHECK(daemon.logged("certificate_reloaded"));
  std::filesystem::remove(daemon.certificate.files().certificate);
  daemon.process->signal(SIGHUP);
  CHECK(daemon.logged("certificate_failed"));
  daemon.process->signal(SIGTERM);
  CHECK(daemon.process->wait() == 0);
  std::istringstream lines(daemon.log());
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);) {
    const auto json = parse_json(line);
    REQUIRE_MESSAGE(json, line);
    events.push_back(json->at("event"));
  }
  CHECK(events == std::vector<std::string>{"start", "ready", "tokens_reloaded", "certificate_reloaded",
                                           "tokens_reloaded", "certificate_failed", "draining", "stopped"});
}

TEST_CASE(
    "a daemon that cannot start logs one JSON line, and its exit status tells a wrong configuration from other "
    "causes") {
  const auto failure = [](const std::vector<std::string>& arguments, int status) {
    const Output output = run(kHearsayd, arguments);
    CHECK(output.status == status);
    const Json line = parse_json(output.text).value();
    CHECK(line.at("event") == "failed");
    CHECK(line.at("level") == "error");
    return line.at("error").get<std::string>();
  };
  CHECK(failure({}, 2) == "missing_key");
  CHECK(failure({"--config", "/"}, 2) == "io");
  CHECK(failure({"--store", "/dev/null/store", "--certificate", "x", "--private-key", "x"}, 1) == "store_failed");
  CHECK(run(kHearsayd, {"--log-level", "loud"}).status == 2);
}

TEST_CASE("a daemon does not touch the ready file of a running daemon, and replaces the file of a killed one") {
  LoggingDaemon daemon;
  const std::string written = daemon.ready().dump();
  const auto second = [&daemon](const std::string& store) {
    return run(kHearsayd, {"--config", daemon.path("config.json"), "--store", daemon.path(store)});
  };
  for (const char* store : {"store", "another_store"}) {
    const Output output = second(store);
    CHECK(output.status == 1);
    CHECK(output.contains("a running daemon has written the ready file"));
    CHECK(daemon.ready().dump() == written);
  }
  CHECK_FALSE(std::filesystem::exists(daemon.path("another_store")));

  daemon.process->signal(SIGKILL);
  daemon.process->wait();
  CHECK(daemon.ready().dump() == written);
  const Process next(kHearsayd, {"--config", daemon.path("config.json")});
  CHECK(http::eventually(
      [&] { return std::filesystem::exists(daemon.path("ready")) && daemon.ready().at("pid") == next.pid(); }));
  next.signal(SIGTERM);
  CHECK(http::eventually([&] { return !std::filesystem::exists(daemon.path("ready")); }));
}

TEST_CASE("a program that gets no thread or no memory says so, and is not killed") {
  LoggingDaemon daemon;
  daemon.process->signal(SIGTERM);
  CHECK(daemon.process->wait() == 0);
  const std::string store = daemon.path("store");
  // A stack of 1,000,000 KiB does not fit into an address space of 500,000 KiB.
  const std::string no_thread = "ulimit -s 1000000 && ulimit -v 500000 && exec ";
  const Output output = run("/bin/sh", {"-c", no_thread + kHearsayd + " --config " + daemon.path("config.json")});
  CHECK(output.status == 1);
  const auto line = parse_json(output.text);
  REQUIRE_MESSAGE(line, output.text);
  CHECK(line->at("event") == "failed");
  CHECK(line->at("detail").get<std::string>().find("starts no more threads") != std::string::npos);

  const Output command = run("/bin/sh", {"-c", no_thread + kHearsay + " verify " + store});
  CHECK(command.status == 2);
  CHECK(command.contains("hearsay: internal: the system starts no more threads"));
}

TEST_CASE("a daemon whose standard descriptors are closed opens only /dev/null on them") {
  const LoggingDaemon daemon(false, "", "<&- >&- 2>&-");
  for (const std::string descriptor : {"0", "1", "2"}) {
    std::error_code unreadable;  // only root can read every link
    const auto file = std::filesystem::read_symlink(
        "/proc/" + std::to_string(daemon.process->pid()) + "/fd/" + descriptor, unreadable);
    if (!unreadable) CHECK(file == "/dev/null");
  }
  daemon.process->signal(SIGTERM);
  CHECK(daemon.process->wait() == 0);
  CHECK(run(kHearsay, {"verify", daemon.path("store")}).status == 0);
}

TEST_CASE("the daemon ignores signals that it does not need, and shuts down cleanly on SIGQUIT") {
  const LoggingDaemon daemon;
  for (const int signal : {SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT, SIGPIPE, SIGXFSZ,
                           SIGWINCH, SIGURG, SIGCHLD, SIGRTMIN, SIGRTMIN + 3, SIGRTMAX}) {
    daemon.process->signal(signal);
  }
  daemon.process->signal(SIGHUP);
  CHECK(daemon.logged("certificate_reloaded"));
  daemon.process->signal(SIGQUIT);
  CHECK(daemon.process->wait() == 0);
  CHECK(daemon.logged("stopped"));
}

TEST_CASE("--check-config reads the configuration and the TLS files, starts nothing, and exits with 2 on a fault") {
  const LoggingDaemon daemon;
  const std::string file = daemon.path("config.json");
  const auto check = [&] { return run(kHearsayd, {"--check-config", "--config", file}); };
  CHECK(check().status == 0);  // the check succeeds although the daemon runs on the same configuration
  CHECK(check().text == "the configuration is valid\n");
  daemon.write_config("{\n\"store\": \"x\",\n\"certificate\": 1}");
  const Output wrong_type = check();
  CHECK(wrong_type.status == 2);
  CHECK(wrong_type.text == "hearsayd: " + file + ", line 3: certificate must be a string\n");
  Json missing = daemon.config;
  missing["private_key"] = daemon.path("nowhere.pem");
  daemon.write_config(missing.dump());
  CHECK(check().status == 2);
  CHECK(check().contains("nowhere.pem"));
  CHECK(run(kHearsayd, {"--check-config", "--config", daemon.path("")}).contains("is a directory"));
  CHECK(run("/bin/sh", {"-c", kHearsayd + " --print-default-config >/dev/full"}).status == 1);
}

TEST_CASE("the daemon can read the default configuration that it prints") {
  const Output printed = run(kHearsayd, {"--print-default-config"});
  CHECK(printed.status == 0);
  CHECK(printed.text == daemon::render_config(daemon::DaemonConfig()));
  const auto config = daemon::parse_config(printed.text);
  REQUIRE(config);
  CHECK(config->listen.port == 8443);
}

// Runs `hearsay` with these arguments, and with the options of an administrator of this daemon.
Output hearsay(const LoggingDaemon& daemon, std::vector<std::string> arguments) {
  const tests::TemporaryFile token(kAdminToken);
  const std::string port = std::to_string(daemon.ready().at("port").get<int>());
  const std::vector<std::string> server{"--server",     "https://localhost:" + port,
                                        "--ca",         daemon.certificate.files().certificate,
                                        "--token-file", token.path()};
  arguments.insert(arguments.end(), server.begin(), server.end());
  return run(kHearsay, arguments);
}

TEST_CASE("SIGHUP reads the tokens again, but if the configuration is wrong the daemon keeps the old tokens") {
  LoggingDaemon daemon;
  const auto status_with = [&daemon](std::string_view secret) {
    const tests::TemporaryFile token(secret);
    const std::string port = std::to_string(daemon.ready().at("port").get<int>());
    return run(kHearsay, {"status", "--server", "https://localhost:" + port, "--ca",
                          daemon.certificate.files().certificate, "--token-file", token.path()});
  };
  daemon.config["tokens"] = {{{"role", "admin"}, {"sha256", hex_encode(digest_of("another-administrator"))}}};
  daemon.write_config(daemon.config.dump());
  CHECK(status_with("another-administrator").contains("unauthorized"));
  daemon.process->signal(SIGHUP);
  CHECK(daemon.logged("tokens_reloaded"));
  CHECK(status_with("another-administrator").status == 0);
  CHECK(status_with(kAdminToken).contains("unauthorized"));

  daemon.write_config("{\n\"tokens\": [{\"role\": \"king\"}]}");
  daemon.process->signal(SIGHUP);
  CHECK(daemon.logged("tokens_failed"));
  CHECK(daemon.log().find(", line 2: tokens[0].sha256 is missing") != std::string::npos);
  CHECK(status_with("another-administrator").status == 0);
  CHECK(daemon.logged("certificate_reloaded", 2));
}

TEST_CASE("a command without a client certificate says that the daemon asks for one") {
  const LoggingDaemon daemon(true);
  const Output stranger = hearsay(daemon, {"status"});
  CHECK(stranger.status == 2);
  CHECK(stranger.text.find("certificate required") != std::string::npos);
  const http::TlsFiles files = daemon.certificate.files();
  CHECK(hearsay(daemon, {"status", "--certificate", files.certificate, "--private-key", files.private_key}).status ==
        0);
}

TEST_CASE("the daemon refuses an administrator's call that it cannot log") {
  const LoggingDaemon daemon(false, "/dev/full");
  const Output backup = hearsay(daemon, {"backup"});
  CHECK(backup.status == 2);
  CHECK(backup.contains("nothing was changed: the log cannot be written: No space left on device"));
  CHECK(!std::filesystem::exists(daemon.path("backups")));
  CHECK(hearsay(daemon, {"status"}).status == 0);
}

TEST_CASE("hearsay status and backup work as a person runs them") {
  const LoggingDaemon daemon;
  const Output status = hearsay(daemon, {"status"});
  CHECK(status.status == 0);
  CHECK(status.text.starts_with("ready; hearsayd "));
  CHECK(status.contains("\n0 tasks, 0 reports; the store takes "));
  CHECK(parse_json(hearsay(daemon, {"status", "-o", "json"}).text)->at("ready") == true);
  CHECK(hearsay(daemon, {"status", "-o", "csv"}).contains("\nstore.reports,0\r\n"));
  const Output backup = hearsay(daemon, {"backup", "--keep", "3"});
  CHECK(backup.status == 0);
  CHECK(parse_json(backup.text)->contains("number"));
  // The daemon writes the event before it answers, so no wait is needed.
  const std::string log = daemon.log();
  CHECK(log.find(R"("event":"admin_call","call":"make_backup","keep":3,"number":1,"who":"tokens[0]"})") !=
        std::string::npos);
  CHECK(log.find(R"("event":"admin_done","call":"make_backup","keep":3,"number":1,"who":"tokens[0]"})") !=
        std::string::npos);
  CHECK(daemon.logged("backup_made"));
  CHECK(hearsay(daemon, {"backup", "--keep", "0"}).status == 2);

  // `hearsay restore` makes a store of a backup without the daemon. `hearsay verify` accepts the backup and the store.
  const std::string backups = daemon.path("backups");
  CHECK(run(kHearsay, {"verify", "--backup", backups}).status == 0);
  CHECK(run(kHearsay, {"restore", backups, daemon.path("restored")}).status == 0);
  CHECK(run(kHearsay, {"verify", daemon.path("restored")}).status == 0);
  CHECK(run(kHearsay, {"restore", backups, daemon.path("restored")}).status == 2);
  CHECK(run(kHearsay, {"restore", daemon.path("nowhere"), daemon.path("other")}).status == 2);
  CHECK(run(kHearsay, {"restore", backups, daemon.path("other"), "--number", "99"}).status == 2);
  CHECK(run(kHearsay, {"verify"}).status == 2);
  CHECK(run(kHearsay, {"verify", daemon.path("restored"), "--backup", backups}).status == 2);
}

}  // namespace
}  // namespace hearsay::e2e
