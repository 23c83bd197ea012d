#include "aggregator/http/tls.h"

#include <openssl/err.h>
#include <openssl/x509.h>

#include <array>
#include <string>
#include <utility>

#include "aggregator/http/certificate.h"
#include "common/base/try.h"
#include "common/pem/pem.h"

namespace hearsay::http {

namespace {

Error settings_refused() {
  ERR_clear_error();
  return {ErrorCode::kInternal, "OpenSSL refuses the TLS settings"};
}

// Chooses http/1.1. Refuses a client that offers only other protocols (RFC 7301, section 3.2).
int select_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size, const unsigned char* offered,
                    unsigned int offered_size, void*) {
  static constexpr std::array<unsigned char, 9> kHttp11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* match = nullptr;
  if (SSL_select_next_proto(&match, chosen_size, kHttp11.data(), kHttp11.size(), offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = match;
  return SSL_TLSEXT_ERR_OK;
}

bool restrict_protocol(SSL_CTX* context, TicketKeys& keys) {
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // There are many connections, most of them idle. So OpenSSL keeps buffers only while they hold bytes. It reads ahead
  // to save system calls.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_read_ahead(context, 1);
  // No session cache is needed, because tickets hold the whole session.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, select_protocol, nullptr);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 &&
         SSL_CTX_set1_groups_list(context, "P-256:X25519:P-384") == 1 && SSL_CTX_set_num_tickets(context, 1) == 1 &&
         TicketKeys::install(context, keys);
}

// Makes clients show a certificate of one of the file's authorities at every handshake. Turns tickets off, because a
// resumed session skips this check and could outlive the certificate and its authority.
Result<void> require_clients(SSL_CTX* context, const std::string& path) {
  HEARSAY_TRY(const auto authorities, pem::read_certificates({pem::PemFile::Role::kAuthorities, path}));
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  // With this flag an intermediate authority in the file is trusted by itself, without its root.
  bool done = X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN) == 1 && SSL_CTX_set_num_tickets(context, 0) == 1;
  for (const pem::Certificate& authority : authorities) {
    done = done && X509_STORE_add_cert(store, authority.get()) == 1 &&
           SSL_CTX_add_client_CA(context, authority.get()) == 1;  // the handshake names the authority
  }
  if (!done) return settings_refused();
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return {};
}

}  // namespace

Result<LoadedTls> load_tls_context(const TlsFiles& files, TicketKeys& keys) {
  const TlsContext context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context || !restrict_protocol(context.get(), keys)) return settings_refused();
  HEARSAY_TRY(ServedCertificate certificate, use_certificate(context.get(), files));
  if (!files.client_ca.empty()) HEARSAY_CHECK_OK(require_clients(context.get(), files.client_ca));
  return LoadedTls{context, std::move(certificate)};
}

Result<void> CurrentTls::load(const TlsFiles& files, std::optional<UnixSeconds> now) {
  HEARSAY_TRY(LoadedTls loaded, load_tls_context(files, keys_));
  const std::string fault = now ? time_fault(loaded.certificate, *now) : "";
  if (!fault.empty()) return pem::PemFile{pem::PemFile::Role::kCertificate, files.certificate}.error(fault);
  const std::lock_guard lock(mutex_);
  loaded_ = std::move(loaded);
  return {};
}

}  // namespace hearsay::http
