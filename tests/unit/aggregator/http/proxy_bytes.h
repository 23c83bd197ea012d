// Makes valid and malformed headers of the PROXY protocol, version 2.
#pragma once

#include <string>
#include <string_view>

namespace hearsay::http {

inline constexpr std::string_view kProxySignature{"\r\n\r\n\0\r\nQUIT\n", 12};

// The byte `command` contains version and command. The byte `family` contains address family and transport.
inline std::string proxy_header(unsigned char command, unsigned char family, std::string_view rest) {
  std::string bytes(kProxySignature);
  for (const std::size_t byte : {std::size_t{command}, std::size_t{family}, rest.size() >> 8, rest.size() & 0xff}) {
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes.append(rest);
}

// Returns the header for a client at 203.0.113.`host`, port 4660, that has connected to 192.0.2.1:443. `fields` are
// further fields of the balancer.
inline std::string proxy_header_of(unsigned char host, std::string_view fields = {}) {
  std::string rest("\xcb\x00\x71", 3);
  rest.push_back(static_cast<char>(host));
  rest.append(std::string_view("\xc0\x00\x02\x01\x12\x34\x01\xbb", 8));
  return proxy_header(0x21, 0x11, rest.append(fields));
}

// Returns the header of a balancer's health check.
inline std::string local_proxy_header() { return proxy_header(0x20, 0x00, ""); }

}  // namespace hearsay::http
