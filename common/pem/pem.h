// Reads certificates and private keys from PEM files, and says what is wrong with a bad file.
//
// All functions are thread-safe. No function asks a person for a passphrase, or leaves errors in OpenSSL's queue.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::pem {

// A file, and what the file is for.
struct PemFile {
  enum class Role { kCertificate, kPrivateKey, kAuthorities };
  Role role;
  std::string path;

  // Returns kIo with the message "cannot use the private key '/etc/key.pem': " and the reason.
  Error error(std::string_view reason) const;
};

struct Free {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Certificate = std::unique_ptr<X509, Free>;
using PrivateKey = std::unique_ptr<EVP_PKEY, Free>;

// Returns the certificates of a file in their order, at least one. Errors: kIo (the file is not readable, holds no
// certificate, or holds a damaged certificate).
Result<std::vector<Certificate>> read_certificates(const PemFile& file);

// Returns the first private key of a file. Errors: kIo (the file is not readable, holds no key, or the key is encrypted
// or damaged).
Result<PrivateKey> read_private_key(const PemFile& file);

// Checks that the key belongs to the first certificate. Errors: kIo (the message names both files, and says whether the
// key belongs to a later certificate, is of another kind, or belongs to none).
Result<void> check_pair(const PemFile& certificate_file, const std::vector<Certificate>& chain, const PemFile& key_file,
                        EVP_PKEY& key);

// Returns the kind of a key: "RSA of 2048 bits", "EC on prime256v1", "ED25519".
std::string kind_of(const EVP_PKEY& key);

}  // namespace hearsay::pem
