// Tells whether clients accept the certificate in use now.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "aggregator/daemon/log.h"
#include "aggregator/http/server.h"
#include "aggregator/metrics/metrics.h"
#include "hearsay/clock.h"

namespace hearsay::daemon {

// kExpiresSoon: less than a fifth of the certificate's time is left, and less than 14 days. The fifth matters
// for certificates of a few days, which are usually renewed when a third of their time is left.
enum class CertificateState { kValid, kExpiresSoon, kExpired, kNotYetValid };

CertificateState certificate_state(const http::ServedCertificate& certificate, UnixSeconds now);

// Says in the log that the certificate in use expires soon, has expired or is not valid yet: at once, then once a day,
// and when that is over. Also logs doubts about a certificate. One thread at a time.
class CertificateWatch {
 public:
  using Monotonic = std::chrono::steady_clock::time_point;

  explicit CertificateWatch(Log& log) : log_(log) {}  // `log` must outlive the object

  // Writes the events certificate_expires_soon, certificate_expired, certificate_not_yet_valid and certificate_valid.
  void tick(const http::ServedCertificate& certificate, UnixSeconds wall, Monotonic monotonic);

 private:
  Log& log_;
  CertificateState told_ = CertificateState::kValid;
  Monotonic told_at_{};
};

// Logs an event certificate_doubtful for each doubt.
void log_doubts(Log& log, const http::ServedCertificate& certificate);

// Registers the metric hearsay_certificate_expiry_seconds, which is read at each scrape. All arguments must live as
// long as the registry is rendered.
void register_certificate(metrics::MetricsRegistry& registry, const http::HttpServer& server, Clock& clock);

}  // namespace hearsay::daemon
