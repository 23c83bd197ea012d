// One client's connection, from the handshake to the last byte.
#pragma once

#include "aggregator/http/worker.h"

namespace hearsay::aggregator {

// Serves `socket`, whose executor is the worker's context, until it closes; over TLS if `tls` is not null. Call on the
// worker's thread, after worker.reserve(). The connection owns itself. Throws std::bad_alloc, and then has released
// nothing.
void serve_connection(Worker& worker, TcpSocket socket, const TlsContext& tls);

}  // namespace hearsay::aggregator
