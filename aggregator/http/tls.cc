#include "aggregator/http/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "common/base/try.h"

namespace hearsay::http {

namespace {

Error file_error(std::string_view what, const std::string& file) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return {ErrorCode::kIo, std::string(what) + " " + file + ": " + (reason == nullptr ? "unreadable" : reason)};
}

Result<void> check_readable(const std::string& file) {
  errno = 0;
  std::ifstream stream(file);
  if (!stream || stream.peek() == std::ifstream::traits_type::eof()) {
    return Error{ErrorCode::kIo, "cannot read " + file + ": " + (errno == 0 ? "empty file" : std::strerror(errno))};
  }
  return {};
}

// OpenSSL would ask for the password of an encrypted key on the terminal.
int refuse_password(char*, int, int, void*) { return -1; }

// Chooses http/1.1. A client that names only other protocols means some other server (RFC 7301, section 3.2).
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
  // Connections are many and mostly idle: buffers are there only while bytes are under way, and one recv fills them.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_read_ahead(context, 1);
  // Tickets hold the whole session; a cache in memory would only grow.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, select_protocol, nullptr);
  SSL_CTX_set_default_passwd_cb(context, refuse_password);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 &&
         SSL_CTX_set1_groups_list(context, "P-256:X25519:P-384") == 1 && SSL_CTX_set_num_tickets(context, 1) == 1 &&
         TicketKeys::install(context, keys);
}

template <class T, void (*kFree)(T*)>
struct Freed {
  void operator()(T* object) const { kFree(object); }
};
using Bio = std::unique_ptr<BIO, Freed<BIO, BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;

// Trusts every certificate of the PEM bundle to sign clients', and names them in the handshake.
bool add_client_authorities(SSL_CTX* context, const std::string& bundle) {
  const Bio bio(BIO_new_mem_buf(bundle.data(), static_cast<int>(bundle.size())));
  if (!bio) return false;
  std::size_t added = 0;
  for (;; ++added) {
    const Certificate authority(PEM_read_bio_X509(bio.get(), nullptr, refuse_password, nullptr));
    if (!authority) break;
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1 ||
        SSL_CTX_add_client_CA(context, authority.get()) != 1) {
      return false;
    }
  }
  // What ended it must be the end of the file.
  if (added == 0 || ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) return false;
  ERR_clear_error();
  return true;
}

// Clients must show a certificate of one of the file's authorities, at every handshake. There are no tickets: a resumed
// session skips the certificate, and would outlive it and its authority.
Result<void> require_clients(SSL_CTX* context, const std::string& file) {
  HEARSAY_CHECK_OK(check_readable(file));
  std::ostringstream content;
  content << std::ifstream(file).rdbuf();
  const std::string bundle = content.str();
  if (!add_client_authorities(context, bundle) || SSL_CTX_set_num_tickets(context, 0) != 1) {
    return file_error("cannot use the client authorities", file);
  }
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return {};
}

}  // namespace

Result<TlsContext> load_tls_context(const TlsFiles& files, TicketKeys& keys) {
  for (const std::string& file : {files.certificate, files.private_key}) {
    HEARSAY_CHECK_OK(check_readable(file));
  }
  ERR_clear_error();
  TlsContext holder(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX* context = holder.get();
  if (context == nullptr || !restrict_protocol(context, keys)) {
    ERR_clear_error();
    return Error{ErrorCode::kInternal, "OpenSSL refuses the TLS settings"};
  }
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    return file_error("cannot use the certificate", files.certificate);
  }
  if (X509_cmp_current_time(X509_get0_notAfter(SSL_CTX_get0_certificate(context))) < 0) {
    return Error{ErrorCode::kIo, "cannot use the certificate " + files.certificate + ": it has expired"};
  }
  // Loading the key compares it with the certificate, so the reason may be either's.
  if (SSL_CTX_use_PrivateKey_file(context, files.private_key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return file_error("cannot use the private key " + files.private_key + " with the certificate", files.certificate);
  }
  if (!files.client_ca.empty()) {
    HEARSAY_CHECK_OK(require_clients(context, files.client_ca));
  }
  return holder;
}

Result<void> CurrentTls::load(const TlsFiles& files) {
  auto context = load_tls_context(files, keys_);
  if (!context) return context.error();
  const std::lock_guard lock(mutex_);
  context_ = *std::move(context);
  return {};
}

}  // namespace hearsay::http
