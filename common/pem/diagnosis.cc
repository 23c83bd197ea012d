#include "common/pem/diagnosis.h"

#include <openssl/err.h>
#include <openssl/pkcs12.h>
#include <openssl/pkcs7.h>
#include <openssl/x509.h>

#include <memory>

namespace hearsay::pem {
namespace {

// Returns true if the text begins with an object of type T in DER.
template <class T, T* (*kParse)(T**, const unsigned char**, long), void (*kFree)(T*)>
bool is_der(std::string_view text) {
  const auto* begin = reinterpret_cast<const unsigned char*>(text.data());
  const unsigned char* at = begin;
  T* object = kParse(nullptr, &at, static_cast<long>(text.size()));
  kFree(object);
  ERR_clear_error();
  return object != nullptr;
}

std::string convert(std::string_view what, std::string_view command) {
  return std::string("it holds ").append(what).append(", not PEM; convert it with `openssl ").append(command) + "`";
}

bool is_for_key(PemFile::Role role) { return role == PemFile::Role::kPrivateKey; }

std::string expected(PemFile::Role role) { return is_for_key(role) ? "a private key" : "a certificate"; }

}  // namespace

std::string diagnose_text(std::string_view text, PemFile::Role role) {
  if (text.empty()) return "it is empty; it must hold " + expected(role) + " in PEM";
  if (is_der<X509, d2i_X509, X509_free>(text)) {
    if (is_for_key(role)) return "it holds a certificate in DER; it must hold a private key in PEM";
    return convert("a certificate in DER", "x509 -inform DER -in FILE -out NEW");
  }
  if (is_der<EVP_PKEY, d2i_AutoPrivateKey, EVP_PKEY_free>(text)) {
    if (!is_for_key(role)) return "it holds a private key in DER; it must hold a certificate in PEM";
    return convert("a private key in DER", "pkey -inform DER -in FILE -out NEW");
  }
  if (is_der<PKCS12, d2i_PKCS12, PKCS12_free>(text)) {
    return convert("a PKCS#12 archive",
                   is_for_key(role) ? "pkcs12 -in FILE -nocerts -noenc -out NEW" : "pkcs12 -in FILE -nokeys -out NEW");
  }
  if (is_der<PKCS7, d2i_PKCS7, PKCS7_free>(text)) {
    return convert("a PKCS#7 bundle in DER", "pkcs7 -inform DER -in FILE -print_certs -out NEW");
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return "it is UTF-16 text; save it as ASCII";
  }
  if (text.find('\0') != std::string_view::npos)
    return "it is a binary file; it must hold " + expected(role) + " in PEM";
  return "it is no PEM file: no line begins with \"-----BEGIN\"";
}

std::string diagnose_block(std::string_view block, PemFile::Role role) {
  const auto holds = [role](std::string_view what) {
    return std::string("it holds ").append(what).append(", not ") + expected(role);
  };
  if (block.ends_with("PRIVATE KEY")) {
    const bool pair = role == PemFile::Role::kCertificate;
    return holds("a private key").append(pair ? "; are certificate and private key swapped?" : "");
  }
  // Swapped files do not reach this line, since the program reads the certificate's file first.
  if (block.ends_with("CERTIFICATE")) return holds("a certificate") + "; name the file that holds the key";
  if (block.ends_with("CERTIFICATE REQUEST")) {
    return holds("a certificate request") +
           (is_for_key(role) ? "" : "; name the certificate that the authority made from the request");
  }
  if (block == "PUBLIC KEY") return holds("a public key");
  if (block == "PKCS7") return convert("a PKCS#7 bundle", "pkcs7 -in FILE -print_certs -out NEW");
  return holds(std::string("a block of the kind \"").append(block).append("\""));
}

}  // namespace hearsay::pem
