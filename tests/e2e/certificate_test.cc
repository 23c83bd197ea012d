// Tests the daemon's certificate before, during and after its time of validity.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "common/base/strict_json.h"
#include "tests/e2e/aggregator.h"
#include "tests/support/certificates.h"
#include "tests/support/temporary_directory.h"

namespace hearsay::e2e {
namespace {

TEST_CASE(
    "a daemon serves a certificate that is not valid yet but is not ready, and a reload refuses such a certificate") {
  constexpr auto kStart = static_cast<std::time_t>(tests::kTaskStart + 3600);
  const tests::TemporaryDirectory directory;
  const std::string file = directory.path() / "certificate.pem";
  const std::string key = directory.path() / "key.pem";
  const auto write = [&](long serial, std::time_t from, std::time_t until) {
    const tests::Identity made = tests::make_identity({.serial = serial, .not_before = from, .not_after = until});
    std::ofstream(file) << made.certificate_pem();
    tests::write_private(key, made.key_pem());
  };
  write(1, kStart + 100, kStart + 1100);
  Aggregator aggregator([&](daemon::DaemonConfig& config) {
    config.certificate = file;
    config.private_key = key;
  });
  const auto readiness = [&](unsigned status) {
    const Reply reply = aggregator.ask("GET", "/readyz");
    CHECK(reply.status == status);
    return parse_json(reply.body).value();
  };
  CHECK(readiness(503).at("reasons") == Json{"certificate_not_yet_valid"});
  CHECK(aggregator.metric("hearsay_certificate_expiry_seconds") == 1100);
  write(2, kStart + 50, kStart + 2000);
  CHECK(!aggregator.daemon->reload_certificate());
  aggregator.clock.advance(std::chrono::seconds(100));
  CHECK(readiness(200).at("warnings") == Json::array());
  aggregator.clock.advance(std::chrono::seconds(801));
  CHECK(readiness(200).at("warnings") == Json{"certificate_expires_soon"});
  CHECK(aggregator.metric("hearsay_certificate_expiry_seconds") == 199);
  aggregator.clock.advance(std::chrono::seconds(200));
  CHECK(readiness(503).at("reasons") == Json{"certificate_expired"});
  CHECK(aggregator.daemon->reload_certificate());
  CHECK(readiness(200).at("warnings") == Json::array());
  aggregator.daemon->stop();
  std::vector<Json> lines;
  std::istringstream log(aggregator.log_lines.str());
  for (std::string line; std::getline(log, line);) {
    Json event = parse_json(line).value();
    if (event.at("event").get<std::string>().starts_with("certificate")) lines.push_back(std::move(event));
  }
  REQUIRE(lines.size() >= 2);
  CHECK(lines[0].at("event") == "certificate_not_yet_valid");
  CHECK(lines[0].at("level") == "error");
  CHECK(lines[1].at("event") == "certificate_failed");
  CHECK(lines[1].at("detail").get<std::string>().find(file) != std::string::npos);
}

}  // namespace
}  // namespace hearsay::e2e
