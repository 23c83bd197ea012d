#include "aggregator/daemon/certificate.h"

#include <doctest/doctest.h>

#include <sstream>

namespace hearsay::daemon {
namespace {

using State = CertificateState;

constexpr UnixSeconds kDay = 86'400;

http::ServedCertificate certificate(UnixSeconds from, UnixSeconds until) {
  return {.file = "c.pem", .not_before = from, .not_after = until, .doubts = {}};
}

TEST_CASE("the state of a certificate changes at its exact bounds") {
  const auto quarter = certificate(1'000, 1'000 + 90 * kDay);
  CHECK(certificate_state(quarter, 999) == State::kNotYetValid);
  CHECK(certificate_state(quarter, 1'000) == State::kValid);
  CHECK(certificate_state(quarter, 1'000 + 76 * kDay) == State::kValid);
  CHECK(certificate_state(quarter, 1'001 + 76 * kDay) == State::kExpiresSoon);
  CHECK(certificate_state(quarter, 1'000 + 90 * kDay) == State::kExpiresSoon);
  CHECK(certificate_state(quarter, 1'001 + 90 * kDay) == State::kExpired);
  // A certificate for five days is valid for the first four days, and only then about to expire.
  const auto short_lived = certificate(0, 5 * kDay);
  CHECK(certificate_state(short_lived, 4 * kDay) == State::kValid);
  CHECK(certificate_state(short_lived, 4 * kDay + 1) == State::kExpiresSoon);
}

struct WatchFixture {
  std::ostringstream out;
  Log log{LogLevel::kInfo, &out};
  CertificateWatch watch{log};
  CertificateWatch::Monotonic monotonic{};
  std::string text;

  // Returns the events of the next `duration` seconds, each as level and name.
  std::vector<std::string> events(const http::ServedCertificate& shown, UnixSeconds wall, UnixSeconds duration) {
    for (UnixSeconds i = 0; i < duration; ++i) {
      watch.tick(shown, wall + i, monotonic);
      monotonic += std::chrono::seconds(1);
    }
    std::vector<std::string> told;
    std::istringstream in(out.str());
    for (std::string line; std::getline(in, line);) {
      const Json event = parse_json(line).value();
      told.push_back(event.at("level").get<std::string>() + " " + event.at("event").get<std::string>());
      CHECK(event.at("expires") == shown.not_after);
    }
    text = out.str();
    out.str("");
    return told;
  }
};

using Events = std::vector<std::string>;

TEST_CASE_FIXTURE(WatchFixture,
                  "each state of a certificate is reported at once, then once a day while it lasts, and at its end") {
  const auto first = certificate(100, 100 + 100 * kDay);
  CHECK(events(first, 0, 1) == Events{"error certificate_not_yet_valid"});
  CHECK(text.find("certificate 'c.pem': it is valid from 1970-01-01T00:01:40Z on, and the clock says "
                  "1970-01-01T00:00:00Z; set the clock right, or wait") != std::string::npos);
  CHECK(events(first, 1, 99).empty());
  CHECK(events(first, 100, 2) == Events{"info certificate_valid"});
  CHECK(events(first, 100 + 86 * kDay, 1).empty());
  CHECK(events(first, 101 + 86 * kDay, 10) == Events{"warn certificate_expires_soon"});
  CHECK(text.find("certificate 'c.pem': it expires in 335 hours; renew it and send SIGHUP") != std::string::npos);
  monotonic += std::chrono::hours(24);
  CHECK(events(first, 100 + 87 * kDay, 10) == Events{"warn certificate_expires_soon"});
  CHECK(events(first, 101 + 100 * kDay, 10) == Events{"error certificate_expired"});
  const auto next = certificate(100, 100 + 200 * kDay);
  CHECK(events(next, 110 + 100 * kDay, 10) == Events{"info certificate_valid"});
}

TEST_CASE_FIXTURE(WatchFixture, "a certificate within its time is not reported, but doubts about the certificate are") {
  auto good = certificate(0, 100 * kDay);
  CHECK(events(good, 10, 10).empty());
  good.doubts = {"one", "two"};
  log_doubts(log, good);
  const std::string lines = out.str();
  CHECK(lines.find(R"("event":"certificate_doubtful","detail":"one")") != std::string::npos);
  CHECK(lines.find(R"("event":"certificate_doubtful","detail":"two")") != std::string::npos);
}

}  // namespace
}  // namespace hearsay::daemon
