#include "aggregator/http/tls.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace hearsay::aggregator {

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

// Clients must show a certificate of one of the file's authorities. A session is resumed only where the same file
// holds: the resumption skips the certificate.
Result<void> require_clients(SSL_CTX* context, const std::string& file) {
  if (auto readable = check_readable(file); !readable) return readable;
  STACK_OF(X509_NAME)* names = SSL_load_client_CA_file(file.c_str());
  if (names == nullptr || SSL_CTX_load_verify_file(context, file.c_str()) != 1) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
    return file_error("cannot use the client authorities", file);
  }
  SSL_CTX_set_client_CA_list(context, names);  // which takes them over
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  std::ostringstream content;
  content << std::ifstream(file).rdbuf();
  const std::string bytes = content.str();
  std::array<unsigned char, SSL_MAX_SID_CTX_LENGTH> digest{};
  static_assert(SSL_MAX_SID_CTX_LENGTH == 32);
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1 ||
      SSL_CTX_set_session_id_context(context, digest.data(), digest.size()) != 1) {
    return file_error("cannot use the client authorities", file);
  }
  return {};
}

}  // namespace

Result<TlsContext> load_tls_context(const TlsFiles& files, TicketKeys& keys) {
  for (const std::string& file : {files.certificate, files.private_key}) {
    if (auto readable = check_readable(file); !readable) return readable.error();
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
  // Loading the key compares it with the certificate, so the reason may be either's.
  if (SSL_CTX_use_PrivateKey_file(context, files.private_key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return file_error("cannot use the private key " + files.private_key + " with the certificate", files.certificate);
  }
  if (!files.client_ca.empty()) {
    if (auto required = require_clients(context, files.client_ca); !required) return required.error();
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

}  // namespace hearsay::aggregator
