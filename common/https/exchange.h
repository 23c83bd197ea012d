// Makes one request with libcurl, and collects the answer.
#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "common/https/client.h"
#include "common/https/handles.h"

namespace hearsay::https {

// Holds a transfer's handle and all memory that libcurl writes to. The exchange must not move, and must live until the
// transfer has been removed from its multi handle. `request.body` must live until the transfer ends or abandon() is
// called.
class Exchange {
 public:
  // `literal` is true if the server's host is an address, which needs no look-up.
  Exchange(const Server& server, const Request& request, bool literal);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  CURL* handle() { return easy_.get(); }

  // Returns true while a thread of libcurl looks the name up.
  bool looking_up() const { return looking_up_; }

  // Makes the exchange ignore the result of its look-up: it then opens no connection and sends no byte.
  void abandon();

  // Returns true if the transfer has ended with `code` because the server had closed the kept connection.
  bool stale(CURLcode code);

  // Returns the answer of a transfer that has ended with `code`.
  Result<Answer> take(CURLcode code);

 private:
  void add_header(const std::string& header);
  void set_options(const Server& server, const Request& request);
  bool count(std::size_t bytes);
  Error error(CURLcode code) const;

  static int on_lookup(void* state, void* reserved, void* exchange);
  static curl_socket_t on_socket(void* exchange, curlsocktype purpose, curl_sockaddr* address);
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* exchange);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* exchange);

  const std::string url_;
  const std::size_t max_bytes_;
  const bool literal_;
  HeaderList headers_;
  Easy easy_;
  std::array<char, CURL_ERROR_SIZE> details_{};
  std::string body_;
  std::size_t bytes_ = 0;  // bytes of the answer so far
  bool too_long_ = false;
  bool looking_up_ = false;
  bool refused_ = false;  // true if no look-up began, since too many look-ups hang already
  bool abandoned_ = false;
};

}  // namespace hearsay::https
