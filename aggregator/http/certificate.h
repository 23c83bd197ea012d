// The certificate that the server shows: its files, and whether clients will take the certificate.
#pragma once

#include <openssl/ssl.h>

#include <string>
#include <string_view>
#include <vector>

#include "aggregator/http/server.h"
#include "hearsay/result.h"

namespace hearsay::http {

// Makes `context` show the chain and use the key. `certificate` is as HttpServer::certificate() returns it.
//
// Errors: kIo, with a sentence that names the file. A file is not readable, holds something else, is encrypted or
// damaged; the key does not belong to the first certificate; or no client takes the certificate, because of its
// purpose, the size or curve of its key, or its signature. Times are not looked at: see time_fault().
Result<ServedCertificate> use_certificate(SSL_CTX* context, const TlsFiles& files);

// Says why the certificate is not valid at `now`, and what to do; empty if it is valid.
std::string time_fault(const ServedCertificate& certificate, UnixSeconds now);

}  // namespace hearsay::http
