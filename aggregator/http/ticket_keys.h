// The keys that seal TLS session tickets.
#pragma once

#include <openssl/ssl.h>

#include <array>
#include <chrono>
#include <memory>
#include <mutex>

namespace hearsay::http {

// A ticket is a whole session, encrypted (sealed) and kept by the client, so the server stores no sessions. Keys live
// only in memory. New keys replace keys that are older than kLifetime when the next ticket is sealed. The replaced keys
// still open tickets; older keys are forgotten. So while clients connect, recorded traffic cannot be decrypted after
// about a day. All contexts of a server share the keys, so sessions stay valid when the certificate changes.
// Thread-safe.
class TicketKeys {
 public:
  // Keys seal tickets for one lifetime, and open tickets for two lifetimes.
  static constexpr std::chrono::hours kLifetime{12};

  TicketKeys() = default;
  ~TicketKeys();
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;

  // Makes `context` use `keys`, which must outlive `context`. Returns false if OpenSSL refuses.
  static bool install(SSL_CTX* context, TicketKeys& keys);

 private:
  struct Keys {
    std::chrono::steady_clock::time_point made{};
    bool usable = false;
    std::array<unsigned char, 16> name{};
    std::array<unsigned char, 32> cipher{};
    std::array<unsigned char, 32> mac{};
  };

  static int on_ticket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac,
                       int sealing);
  bool current(Keys& out);
  bool find(const unsigned char* name, Keys& out);

  std::mutex mutex_;
  Keys current_;
  Keys previous_;
};

}  // namespace hearsay::http
