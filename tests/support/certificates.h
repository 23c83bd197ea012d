// Makes certificates for tests, with any kind of key, any validity period and any signer.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hearsay::tests {

struct Identity {
  struct Free {
    void operator()(EVP_PKEY* pointer) const { EVP_PKEY_free(pointer); }
    void operator()(X509* pointer) const { X509_free(pointer); }
  };
  std::unique_ptr<EVP_PKEY, Free> key;
  std::unique_ptr<X509, Free> certificate;

  std::string certificate_pem() const;
  std::string key_pem(const std::string& passphrase = "") const;  // encrypted if there is a passphrase
};

struct IdentitySpec {
  std::string name = "localhost";
  std::string key = "P-256";  // or another curve, or "RSA" and a number of bits
  long serial = 1;
  std::time_t not_before = 0;
  std::time_t not_after = std::time(nullptr) + 90 * 86'400;
  // Each extension: OpenSSL's number for the extension, and its text.
  std::vector<std::pair<int, std::string>> extensions = {{NID_subject_alt_name, "DNS:localhost"}};
};

// Makes a key and a certificate that `issuer` signs. Without an issuer the certificate is self-signed. Throws
// std::runtime_error.
Identity make_identity(const IdentitySpec& spec = {}, const Identity* issuer = nullptr);

// Returns the specification of a certificate that signs others.
IdentitySpec authority_spec(const std::string& name);

// Writes a file that only its owner can read.
void write_private(const std::string& path, const std::string& content);

}  // namespace hearsay::tests
