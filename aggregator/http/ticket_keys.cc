#include "aggregator/http/ticket_keys.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>

namespace hearsay::http {

namespace {

constexpr int kFailed = -1;
constexpr int kUnknown = 0;
constexpr int kUsable = 1;
// Like kUsable, and the client also gets a new ticket.
constexpr int kUsableOnce = 2;

}  // namespace

TicketKeys::~TicketKeys() {
  OPENSSL_cleanse(&current_, sizeof current_);
  OPENSSL_cleanse(&previous_, sizeof previous_);
}

bool TicketKeys::install(SSL_CTX* context, TicketKeys& keys) {
  SSL_CTX_set_app_data(context, &keys);
  return SSL_CTX_set_tlsext_ticket_key_evp_cb(context, on_ticket) == 1;
}

// Seals and opens tickets by AES-256-CBC and HMAC-SHA-256, as in OpenSSL's manual of
// SSL_CTX_set_tlsext_ticket_key_evp_cb.
int TicketKeys::on_ticket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac,
                          int sealing) {
  auto& self = *static_cast<TicketKeys*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  Keys keys;
  if (sealing == 1) {
    if (!self.current(keys) || RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) != 1) return kFailed;
    std::copy(keys.name.begin(), keys.name.end(), name);
  } else if (!self.find(name, keys)) {
    return kUnknown;
  }
  std::array<char, 7> digest{"SHA256"};
  const std::array<OSSL_PARAM, 3> parameters{
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, keys.mac.data(), keys.mac.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0), OSSL_PARAM_construct_end()};
  const bool ready = EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), nullptr, keys.cipher.data(), iv, sealing) == 1 &&
                     EVP_MAC_CTX_set_params(mac, parameters.data()) == 1;
  OPENSSL_cleanse(&keys, sizeof keys);
  if (!ready) return kFailed;
  // RFC 8446 asks clients to use a ticket once, so that an observer cannot link two connections of one client.
  return sealing == 1 || SSL_version(ssl) != TLS1_3_VERSION ? kUsable : kUsableOnce;
}

bool TicketKeys::current(Keys& out) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (!current_.usable || now - current_.made >= kLifetime) {
    Keys fresh;
    if (RAND_bytes(fresh.name.data(), static_cast<int>(fresh.name.size())) != 1 ||
        RAND_priv_bytes(fresh.cipher.data(), static_cast<int>(fresh.cipher.size())) != 1 ||
        RAND_priv_bytes(fresh.mac.data(), static_cast<int>(fresh.mac.size())) != 1) {
      return false;
    }
    fresh.made = now;
    fresh.usable = true;
    previous_ = current_;
    current_ = fresh;
    OPENSSL_cleanse(&fresh, sizeof fresh);
  }
  out = current_;
  return true;
}

bool TicketKeys::find(const unsigned char* name, Keys& out) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  for (Keys* keys : {&current_, &previous_}) {
    if (!keys->usable || !std::equal(keys->name.begin(), keys->name.end(), name)) continue;
    if (now - keys->made >= 2 * kLifetime) {
      *keys = {};
      return false;
    }
    out = *keys;
    return true;
  }
  return false;
}

}  // namespace hearsay::http
