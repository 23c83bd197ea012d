// An HTTPS server on loopback. The test chooses the answers, right or wrong.
#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace hearsay::tests {

// A self-signed certificate in a temporary directory.
class Certificate {
 public:
  // Makes a certificate for the host name `name`, valid until `lifetime` seconds from now.
  explicit Certificate(const std::string& name = "localhost", long lifetime = 3600);
  ~Certificate();
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  const std::string& file() const { return file_; }
  const std::string& key_file() const { return key_file_; }
  // Writes the key to a file, encrypted with the passphrase. Returns the path of the file.
  std::string encrypted_key_file(const std::string& passphrase) const;

 private:
  std::filesystem::path directory_;
  std::string file_;
  std::string key_file_;
};

class TlsConnection {
 public:
  explicit TlsConnection(SSL* ssl) : ssl_(ssl) {}

  // Returns the next request with its head and body. Returns an empty string if the client has disconnected.
  std::string read_request();
  // Returns false if the client has disconnected.
  bool write(std::string_view bytes);
  // Returns once the client sends something, or disconnects.
  void wait();
  // After this call, the end of the script closes the connection with a TCP reset.
  void reset();

 private:
  SSL* ssl_;
  std::string buffer_;
};

struct TlsServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;      // 0: any
  std::string client_ca = {};  // if set, clients need a certificate of this authority
};

// Runs `script` for each connection, on a thread of its own. A script must return when the client goes or a write
// fails.
class TlsServer {
 public:
  using Script = std::function<void(TlsConnection&)>;

  TlsServer(const Certificate& certificate, Script script, const TlsServerOptions& options = {});
  ~TlsServer();
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  std::uint16_t port() const { return port_; }
  // Returns the number of connections accepted so far, whether or not the TLS handshake succeeded.
  int connections() const { return connections_; }

 private:
  void accept_all();
  void serve(int fd);

  Script script_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::uint16_t port_ = 0;
  int listener_;
  std::atomic<int> connections_{0};
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::jthread> threads_;
  std::jthread acceptor_;
};

std::string http_answer(std::string_view status, std::string_view body, std::string_view headers = "");

}  // namespace hearsay::tests
