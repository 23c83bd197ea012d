// A request and an answer for tests of connections.
#pragma once

#include "common/https/client.h"
#include "tests/support/tls_server.h"

namespace hearsay::https {

inline const Request kGet{.method = "GET", .path = "/path", .headers = {}, .body = {}};

inline void answer_all(tests::TlsConnection& connection) {
  while (!connection.read_request().empty() && connection.write(tests::http_answer("200 OK", ""))) continue;
}

}  // namespace hearsay::https
