// hearsayd as a process of its own, for tests that kill the daemon or its clients.
#pragma once

#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/cli/remote.h"
#include "common/base/encoding.h"
#include "common/base/strict_json.h"
#include "hearsay/transport.h"
#include "tests/e2e/aggregator.h"
#include "tests/e2e/process.h"
#include "tests/support/patience.h"
#include "tests/support/temporary_directory.h"

namespace hearsay::e2e {

// A hearsayd process. The store outlives the process.
class KillableDaemon {
 public:
  KillableDaemon() {
    Json config{{"store", store()},
                {"certificate", certificate_.files().certificate},
                {"private_key", certificate_.files().private_key},
                {"listen", "127.0.0.1:0"},
                {"operator_listen", "127.0.0.1:0"},
                {"ready_file", (directory_ / "ready").string()},
                {"tokens", {{{"role", "admin"}, {"sha256", hex_encode(digest_of(kAdminToken))}}}}};
    config.update(patient_limits());
    std::ofstream(directory_ / "config.json") << config.dump();
    start();
  }

  void start() {
    std::filesystem::remove(directory_ / "ready");
    process_ = std::make_unique<Process>(kHearsayd, std::vector<std::string>{"--config", directory_ / "config.json"});
    REQUIRE(http::eventually([this] { return std::filesystem::exists(directory_ / "ready"); }));
    std::ifstream in(directory_ / "ready");
    port_ = Json::parse(in).at("port").get<std::uint16_t>();
  }
  void kill() {
    process_->signal(SIGKILL);
    CHECK(process_->wait() == 128 + SIGKILL);
  }
  int terminate() {
    process_->signal(SIGTERM);
    return process_->wait();
  }

  std::string store() const { return directory_ / "store"; }
  std::uint16_t port() const { return port_; }
  std::string ca_file() const { return certificate_.files().certificate; }
  std::unique_ptr<sdk::Transport> transport() const {
    sdk::ServerOptions server;
    server.host = "localhost";
    server.port = port_;
    server.ca_file = ca_file();
    server.timeout = tests::kPatience;
    return sdk::make_https_transport(server).value();
  }
  Result<std::string> admin(std::string_view method, const std::string& path, const std::string& body) const {
    return cli::call(
        {"https://localhost:" + std::to_string(port_), certificate_.files().certificate, std::string(kAdminToken)},
        method, path, body);
  }

 private:
  http::TestCertificate certificate_;
  tests::TemporaryDirectory directory_;
  std::unique_ptr<Process> process_;
  std::uint16_t port_ = 0;
};

inline std::uint64_t reports_in_tally(const KillableDaemon& daemon, const Task& task) {
  const auto answer = daemon.admin("GET", path_of(task, "/tally"), "");
  REQUIRE(answer);
  std::uint64_t reports = 0;
  const Json tally = parse_json(*answer).value();
  for (const Json& window : tally.at("windows")) reports += window.at("reports").get<std::uint64_t>();
  return reports;
}

}  // namespace hearsay::e2e
