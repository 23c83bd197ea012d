// Tells whether the certificate in use is valid, and warns before it expires.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "aggregator/daemon/log.h"
#include "aggregator/http/server.h"
#include "aggregator/metrics/metrics.h"
#include "hearsay/clock.h"

namespace hearsay::daemon {

// kExpiresSoon: less than 14 days are left, and less than a fifth of the certificate's lifetime. The second condition
// is for certificates with a lifetime of a few days: they are usually renewed when a third of the lifetime is left.
enum class CertificateState { kValid, kExpiresSoon, kExpired, kNotYetValid };

CertificateState certificate_state(const http::ServedCertificate& certificate, UnixSeconds now);

// Logs that the certificate in use expires soon, has expired or is not valid yet: at once, then once a day. Also logs
// when the certificate in use is valid again. Thread-safety: one thread at a time.
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

// Logs an event certificate_doubtful for each entry of `certificate.doubts`.
void log_doubts(Log& log, const http::ServedCertificate& certificate);

// Registers the metric hearsay_certificate_expiry_seconds. `server` and `clock` must outlive the last scrape.
void register_certificate(metrics::MetricsRegistry& registry, const http::HttpServer& server, Clock& clock);

}  // namespace hearsay::daemon
