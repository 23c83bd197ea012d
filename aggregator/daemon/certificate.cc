#include "aggregator/daemon/certificate.h"

#include <algorithm>
#include <string>

#include "aggregator/http/certificate.h"

namespace hearsay::daemon {
namespace {

constexpr UnixSeconds kSoon = 14 * 86'400;
constexpr std::chrono::hours kRepeat{24};

}  // namespace

CertificateState certificate_state(const http::ServedCertificate& certificate, UnixSeconds now) {
  if (now > certificate.not_after) return CertificateState::kExpired;
  if (now < certificate.not_before) return CertificateState::kNotYetValid;
  const UnixSeconds lifetime = certificate.not_after - certificate.not_before;
  const bool soon = certificate.not_after - now < std::min(kSoon, lifetime / 5);
  return soon ? CertificateState::kExpiresSoon : CertificateState::kValid;
}

void CertificateWatch::tick(const http::ServedCertificate& certificate, UnixSeconds wall, Monotonic monotonic) {
  const CertificateState state = certificate_state(certificate, wall);
  const bool again = state != CertificateState::kValid && monotonic - told_at_ >= kRepeat;
  if (state == told_ && !again) return;
  told_ = state;
  told_at_ = monotonic;
  const auto say = [&](LogLevel level, std::string_view event, const std::string& what) {
    log_.write(level, event,
               {{"expires", certificate.not_after}, {"detail", "certificate '" + certificate.file + "': " + what}});
  };
  switch (state) {
    case CertificateState::kValid:
      return say(LogLevel::kInfo, "certificate_valid", "it is valid now");
    case CertificateState::kExpiresSoon:
      return say(LogLevel::kWarn, "certificate_expires_soon",
                 "it expires in " + std::to_string((certificate.not_after - wall) / 3600) +
                     " hours; renew it and send SIGHUP");
    case CertificateState::kExpired:
      return say(LogLevel::kError, "certificate_expired", http::time_fault(certificate, wall));
    case CertificateState::kNotYetValid:
      return say(LogLevel::kError, "certificate_not_yet_valid", http::time_fault(certificate, wall));
  }
}

void log_doubts(Log& log, const http::ServedCertificate& certificate) {
  for (const std::string& doubt : certificate.doubts) {
    log.write(LogLevel::kWarn, "certificate_doubtful", {{"detail", doubt}});
  }
}

void register_certificate(metrics::MetricsRegistry& registry, const http::HttpServer& server, Clock& clock) {
  registry.sampled_gauge("hearsay_certificate_expiry_seconds",
                         "Time until the certificate in use expires; negative once it has.", {}, [&server, &clock] {
                           return static_cast<double>(server.certificate().not_after) -
                                  static_cast<double>(clock.now());
                         });
}

}  // namespace hearsay::daemon
