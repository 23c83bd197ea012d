// One client's connection, from the handshake to the last byte.
#pragma once

#include "aggregator/http/worker.h"

namespace hearsay::aggregator {

// Serves `socket`, whose executor is the worker's context, until it closes; over TLS if `tls` is not null. Call on the
// worker's thread, after worker.reserve() and OpenConnections::add(). `accepted` is when it came. Throws std::bad_alloc
// or boost::system::system_error, and then has released nothing.
void serve_connection(Worker& worker, TcpSocket socket, const TlsContext& tls, const AddressKey& address,
                      TimerWheel::Clock::time_point accepted);

}  // namespace hearsay::aggregator
