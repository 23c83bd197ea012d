// The TLS settings of the server: versions, ciphers and files.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <mutex>
#include <optional>

#include "aggregator/http/server.h"
#include "aggregator/http/ticket_keys.h"
#include "hearsay/result.h"

namespace hearsay::http {

using TlsContext = std::shared_ptr<SSL_CTX>;

struct LoadedTls {
  TlsContext context;
  ServedCertificate certificate;
};

// Makes a context for TLS 1.3 and 1.2 with forward secrecy and AEAD, P-256 preferred, ALPN "http/1.1", and session
// tickets sealed with `keys`. `keys` must outlive the context's handshakes. With `client_ca`, clients must show a
// certificate, and there are no tickets. Errors: those of use_certificate(), and kIo for the file `client_ca`; the
// message names the file.
Result<LoadedTls> load_tls_context(const TlsFiles& files, TicketKeys& keys);

// The context for new connections. Thread-safe.
class CurrentTls {
 public:
  TlsContext get() const {
    const std::lock_guard lock(mutex_);
    return loaded_.context;
  }
  ServedCertificate certificate() const {
    const std::lock_guard lock(mutex_);
    return loaded_.certificate;
  }
  // Replaces the context. With `now`, the certificate must be valid at that time. After an error the old context stays
  // in use. Errors: those of load_tls_context(), and kIo if the certificate is not valid at `now`.
  Result<void> load(const TlsFiles& files, std::optional<UnixSeconds> now);

 private:
  TicketKeys keys_;
  mutable std::mutex mutex_;
  LoadedTls loaded_;
};

}  // namespace hearsay::http
