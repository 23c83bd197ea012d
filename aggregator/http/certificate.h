// Loads the server's certificate and key, and checks whether clients will accept them.
#pragma once

#include <openssl/ssl.h>

#include <string>
#include <string_view>
#include <vector>

#include "aggregator/http/server.h"
#include "hearsay/result.h"

namespace hearsay::http {

// Makes `context` show the chain and use the key. Returns the value for HttpServer::certificate().
//
// Errors: kIo, with a sentence that names the file. The file may be unreadable, of another kind, encrypted or damaged,
// or the key may not belong to the first certificate. A certificate that no client accepts is an error, too, for
// example because of the certificate's purpose, key or signature. Does not check times; see time_fault().
Result<ServedCertificate> use_certificate(SSL_CTX* context, const TlsFiles& files);

// Returns why the certificate is not valid at `now`, and what to do; an empty text if it is valid.
std::string time_fault(const ServedCertificate& certificate, UnixSeconds now);

}  // namespace hearsay::http
