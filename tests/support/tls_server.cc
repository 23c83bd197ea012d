#include "tests/support/tls_server.h"

#include <arpa/inet.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace hearsay::tests {
namespace {

template <class T>
T checked(T value) {
  if (!value) throw std::runtime_error("the test's TLS server cannot be set up");
  return value;
}

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

File create(const std::string& path) { return File(checked(std::fopen(path.c_str(), "w")), &std::fclose); }

void write_certificate(const std::string& path, EVP_PKEY* key, const std::string& name, long lifetime) {
  const std::unique_ptr<X509, decltype(&X509_free)> made(checked(X509_new()), &X509_free);
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -86'400);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), lifetime);
  X509_set_pubkey(made.get(), key);
  X509_NAME* subject = X509_get_subject_name(made.get());
  const std::string common = "Hearsay's tests";
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(common.data()),
                             static_cast<int>(common.size()), -1, 0);
  X509_set_issuer_name(made.get(), subject);
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> names(
      checked(X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, ("DNS:" + name).c_str())),
      &X509_EXTENSION_free);
  X509_add_ext(made.get(), names.get(), -1);
  checked(X509_sign(made.get(), key, EVP_sha256()));
  checked(PEM_write_X509(create(path).get(), made.get()));
}

int listen_on(const TlsServerOptions& options, std::uint16_t& port) {
  const bool six = options.address.find(':') != std::string::npos;
  sockaddr_in6 address6{};
  sockaddr_in address4{};
  address6.sin6_family = AF_INET6;
  address4.sin_family = AF_INET;
  address6.sin6_port = address4.sin_port = htons(options.port);
  checked(six ? inet_pton(AF_INET6, options.address.c_str(), &address6.sin6_addr)
              : inet_pton(AF_INET, options.address.c_str(), &address4.sin_addr));
  auto* address = six ? reinterpret_cast<sockaddr*>(&address6) : reinterpret_cast<sockaddr*>(&address4);
  socklen_t size = six ? sizeof address6 : sizeof address4;
  const int listener = ::socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  checked(listener >= 0 && ::bind(listener, address, size) == 0 && ::listen(listener, 64) == 0 &&
          ::getsockname(listener, address, &size) == 0);
  port = ntohs(six ? address6.sin6_port : address4.sin_port);
  return listener;
}

}  // namespace

Certificate::Certificate(const std::string& name, long lifetime) {
  std::string directory = std::filesystem::temp_directory_path() / "hearsay-certificate-XXXXXX";
  directory_ = checked(::mkdtemp(directory.data()));
  file_ = directory_ / "certificate.pem";
  key_file_ = directory_ / "key.pem";
  const Key key(checked(EVP_EC_gen("P-256")), &EVP_PKEY_free);
  checked(PEM_write_PrivateKey(create(key_file_).get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr));
  write_certificate(file_, key.get(), name, lifetime);
}

Certificate::~Certificate() { std::filesystem::remove_all(directory_); }

std::string Certificate::encrypted_key_file(const std::string& passphrase) const {
  const File plain(checked(std::fopen(key_file_.c_str(), "r")), &std::fclose);
  const Key key(checked(PEM_read_PrivateKey(plain.get(), nullptr, nullptr, nullptr)), &EVP_PKEY_free);
  const std::string path = directory_ / "encrypted.pem";
  checked(PEM_write_PrivateKey(create(path).get(), key.get(), EVP_aes_128_cbc(),
                               reinterpret_cast<const unsigned char*>(passphrase.data()),
                               static_cast<int>(passphrase.size()), nullptr, nullptr));
  return path;
}

std::string TlsConnection::read_request() {
  constexpr std::string_view kLength = "Content-Length: ";
  for (;;) {
    if (const std::size_t head = buffer_.find("\r\n\r\n"); head != std::string::npos) {
      const std::size_t length = buffer_.find(kLength);
      const std::size_t body = length < head ? std::stoul(buffer_.substr(length + kLength.size())) : 0;
      const std::size_t size = head + 4 + body;
      if (buffer_.size() >= size) {
        std::string request = buffer_.substr(0, size);
        buffer_.erase(0, size);
        return request;
      }
    }
    char bytes[16'384];
    const int got = SSL_read(ssl_, bytes, sizeof bytes);
    if (got <= 0) return "";
    buffer_.append(bytes, static_cast<std::size_t>(got));
  }
}

bool TlsConnection::write(std::string_view bytes) {
  return SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) > 0;
}

void TlsConnection::wait() {
  pollfd socket{SSL_get_fd(ssl_), POLLIN, 0};
  ::poll(&socket, 1, -1);
}

void TlsConnection::reset() {
  const linger at_once{1, 0};
  ::setsockopt(SSL_get_fd(ssl_), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  SSL_set_quiet_shutdown(ssl_, 1);
}

TlsServer::TlsServer(const Certificate& certificate, Script script, const TlsServerOptions& options)
    : script_(std::move(script)),
      context_(checked(SSL_CTX_new(TLS_server_method())), &SSL_CTX_free),
      listener_(listen_on(options, port_)) {
  checked(SSL_CTX_use_certificate_chain_file(context_.get(), certificate.file().c_str()) == 1);
  checked(SSL_CTX_use_PrivateKey_file(context_.get(), certificate.key_file().c_str(), SSL_FILETYPE_PEM) == 1);
  if (!options.client_ca.empty()) {
    checked(SSL_CTX_load_verify_file(context_.get(), options.client_ca.c_str()) == 1);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  acceptor_ = std::jthread([this] { accept_all(); });
}

TlsServer::~TlsServer() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  {
    const std::lock_guard lock(mutex_);
    for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
  }
  threads_.clear();
}

void TlsServer::accept_all() {
  for (;;) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    ++connections_;
    const std::lock_guard lock(mutex_);
    open_.push_back(fd);
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void TlsServer::serve(int fd) {
  // A client may disconnect while the server writes. Without the block SIGPIPE would end the test.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context_.get()), &SSL_free);
  SSL_set_fd(ssl.get(), fd);
  if (SSL_accept(ssl.get()) == 1) {
    TlsConnection connection(ssl.get());
    script_(connection);
    SSL_shutdown(ssl.get());
  }
  const std::lock_guard lock(mutex_);
  std::erase(open_, fd);
  ::close(fd);
}

std::string http_answer(std::string_view status, std::string_view body, std::string_view headers) {
  return std::string("HTTP/1.1 ").append(status).append("\r\n").append(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

}  // namespace hearsay::tests
