// The server's side of TLS: which versions, ciphers and files.
#pragma once

#include "aggregator/http/asio_types.h"  // first: see there

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <mutex>

#include "aggregator/http/server.h"
#include "hearsay/result.h"

namespace hearsay::aggregator {

using TlsContext = std::shared_ptr<asio::ssl::context>;

// TLS 1.3 or 1.2 with forward secrecy and AEAD only, P-256 preferred, session tickets, ALPN "http/1.1". Errors: kIo,
// with the name of the file that is missing, is no PEM, needs a password, or does not match the other.
Result<TlsContext> load_tls_context(const TlsFiles& files);

// The context that new connections get. Thread-safe.
class CurrentTls {
 public:
  TlsContext get() const {
    const std::lock_guard lock(mutex_);
    return context_;
  }
  void set(TlsContext context) {
    const std::lock_guard lock(mutex_);
    context_.swap(context);
  }

 private:
  mutable std::mutex mutex_;
  TlsContext context_;
};

}  // namespace hearsay::aggregator
