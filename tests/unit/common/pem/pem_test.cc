// For each file the reader returns the certificate or key, or a sentence that says what is wrong.
#include "common/pem/pem.h"

#include <doctest/doctest.h>
#include <openssl/pkcs12.h>

#include <filesystem>
#include <fstream>

#include "tests/support/certificates.h"
#include "tests/support/temporary_directory.h"

namespace hearsay::pem {
namespace {

using tests::Identity;
using Role = PemFile::Role;

template <class T>
std::string der_of(T* object, int (*encode)(const T*, unsigned char**)) {
  unsigned char* bytes = nullptr;
  const int size = encode(object, &bytes);
  REQUIRE(size > 0);
  std::string der(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return der;
}

std::string pkcs12_of(const Identity& identity) {
  PKCS12* archive =
      PKCS12_create("secret", "name", identity.key.get(), identity.certificate.get(), nullptr, 0, 0, 0, 0, 0);
  REQUIRE(archive != nullptr);
  std::string der = der_of<PKCS12>(archive, i2d_PKCS12);
  PKCS12_free(archive);
  return der;
}

struct Directory {
  const Identity identity = tests::make_identity();
  const Identity other = tests::make_identity({.serial = 7});
  const std::string certificate = identity.certificate_pem();
  const std::string key = identity.key_pem();
  tests::TemporaryDirectory directory;
  const std::string path = directory.path() / "file.pem";

  PemFile holding(const std::string& content, Role role) const {
    std::ofstream(path, std::ios::binary) << content;
    return {role, path};
  }
  std::string said(const std::string& content, Role role) const { return said_of(holding(content, role)); }
  static std::string said_of(const PemFile& file) {
    const auto message = [&]() -> std::string {
      if (file.role == Role::kPrivateKey) {
        const auto read = read_private_key(file);
        return read ? "taken" : read.error().message;
      }
      const auto read = read_certificates(file);
      return read ? "taken" : read.error().message;
    }();
    const char* const what = file.role == Role::kPrivateKey    ? "private key"
                             : file.role == Role::kCertificate ? "certificate"
                                                               : "authorities";
    const std::string front = std::string("cannot use the ") + what + " '" + file.path + "': ";
    return message.starts_with(front) ? message.substr(front.size()) : message;
  }
};

TEST_CASE_FIXTURE(Directory, "certificates and keys are read, whatever text and other blocks stand around them") {
  CHECK(said(certificate, Role::kCertificate) == "taken");
  CHECK(said(key, Role::kPrivateKey) == "taken");
  CHECK(said("subject=/CN=localhost\r\n" + key + certificate, Role::kCertificate) == "taken");
  CHECK(said("subject=/CN=localhost\r\n" + certificate + key, Role::kPrivateKey) == "taken");
  const auto chain = read_certificates(holding(certificate + other.certificate_pem(), Role::kAuthorities)).value();
  REQUIRE(chain.size() == 2);
  CHECK(X509_cmp(chain[0].get(), identity.certificate.get()) == 0);
  CHECK(X509_cmp(chain[1].get(), other.certificate.get()) == 0);
}

TEST_CASE_FIXTURE(Directory, "the error about a file that is missing, empty or not regular says so") {
  CHECK(said_of({Role::kCertificate, directory.path() / "missing"}) == "No such file or directory");
  CHECK(said_of({Role::kPrivateKey, directory.path()}) == "it is a directory; name a PEM file");
  CHECK(said("", Role::kCertificate) == "it is empty; it must hold a certificate in PEM");
  CHECK(said("", Role::kPrivateKey) == "it is empty; it must hold a private key in PEM");
  CHECK(said_of({Role::kPrivateKey, "/dev/zero"}) == "it has more than 16 MiB; name a PEM file");
}

TEST_CASE_FIXTURE(Directory, "swapped files, and files for another purpose, are refused") {
  CHECK(said(key, Role::kCertificate) ==
        "it holds a private key, not a certificate; are certificate and private key swapped?");
  CHECK(said(certificate, Role::kPrivateKey) ==
        "it holds a certificate, not a private key; name the file that holds the key");
  CHECK(said(key, Role::kAuthorities) == "it holds a private key, not a certificate");
  const auto block = [](const std::string& name) {
    return "-----BEGIN " + name + "-----\nAAAA\n-----END " + name + "-----\n";
  };
  CHECK(said(block("CERTIFICATE REQUEST"), Role::kCertificate) ==
        "it holds a certificate request, not a certificate; name the certificate that the authority made from the "
        "request");
  CHECK(said(block("PUBLIC KEY"), Role::kPrivateKey) == "it holds a public key, not a private key");
  CHECK(said(block("X509 CRL"), Role::kAuthorities) == "it holds a block of the kind \"X509 CRL\", not a certificate");
  CHECK(said(block("OPENSSH PRIVATE KEY"), Role::kPrivateKey) ==
        "the key is in OpenSSH's own format; make a key with `openssl genpkey`");
  CHECK(said(block("PKCS7"), Role::kCertificate) ==
        "it holds a PKCS#7 bundle, not PEM; convert it with `openssl pkcs7 -in FILE -print_certs -out NEW`");
}

TEST_CASE_FIXTURE(Directory, "files of other forms than PEM are refused") {
  const std::string certificate_der = der_of<X509>(identity.certificate.get(), i2d_X509);
  const std::string key_der = der_of<EVP_PKEY>(identity.key.get(), i2d_PrivateKey);
  CHECK(said(certificate_der, Role::kCertificate) ==
        "it holds a certificate in DER, not PEM; convert it with `openssl x509 -inform DER -in FILE -out NEW`");
  CHECK(said(key_der, Role::kPrivateKey) ==
        "it holds a private key in DER, not PEM; convert it with `openssl pkey -inform DER -in FILE -out NEW`");
  CHECK(said(certificate_der, Role::kPrivateKey) == "it holds a certificate in DER; it must hold a private key in PEM");
  CHECK(said(key_der, Role::kCertificate) == "it holds a private key in DER; it must hold a certificate in PEM");
  CHECK(said(pkcs12_of(identity), Role::kPrivateKey) ==
        "it holds a PKCS#12 archive, not PEM; convert it with `openssl pkcs12 -in FILE -nocerts -noenc -out NEW`");
  CHECK(said(std::string("\0\1\2", 3), Role::kCertificate) == "it is a binary file; it must hold a certificate in PEM");
  CHECK(said("\xFF\xFE-", Role::kCertificate) == "it is UTF-16 text; save it as ASCII");
  CHECK(said("nonsense", Role::kCertificate) == "it is no PEM file: no line begins with \"-----BEGIN\"");
}

TEST_CASE_FIXTURE(Directory, "damaged blocks are counted") {
  CHECK(said(certificate.substr(0, certificate.size() / 2), Role::kCertificate)
            .starts_with("its PEM block 1 is damaged ("));
  CHECK(said(certificate + key.substr(0, key.size() / 2), Role::kCertificate)
            .starts_with("its PEM block 2 is damaged ("));
  CHECK(said(certificate + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", Role::kCertificate)
            .starts_with("its certificate 2 is damaged ("));
  CHECK(said("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", Role::kPrivateKey)
            .starts_with("the key is damaged ("));
}

TEST_CASE_FIXTURE(Directory, "an encrypted key is refused in each of its forms") {
  const std::string refused =
      "the key is encrypted, and this program asks for no passphrase; write the key unencrypted with `openssl pkey -in "
      "FILE -out NEW`, in a file of mode 0600";
  CHECK(said(identity.key_pem("secret"), Role::kPrivateKey) == refused);
  CHECK(said("-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"
             "C3F1E8D1A5B2C4D6E8F0A1B2C3D4E5F6\n\nAAAA\n-----END EC PRIVATE KEY-----\n",
             Role::kPrivateKey) == refused);
}

TEST_CASE_FIXTURE(Directory, "if a key does not belong to the certificate, the error describes both keys") {
  const PemFile certificate_file{Role::kCertificate, "c.pem"};
  const PemFile key_file{Role::kPrivateKey, "k.pem"};
  const auto check = [&](const std::string& chain, EVP_PKEY& tried) {
    const auto read = read_certificates(holding(chain, Role::kCertificate)).value();
    const auto checked = check_pair(certificate_file, read, key_file, tried);
    return checked ? "fits" : checked.error().message;
  };
  CHECK(check(certificate + other.certificate_pem(), *identity.key) == "fits");
  CHECK(check(certificate + other.certificate_pem(), *other.key) ==
        "cannot use the certificate 'c.pem': the private key 'k.pem' belongs to its certificate 2, which must come "
        "first; put the certificates of its issuers behind it");
  CHECK(check(certificate, *other.key) ==
        "cannot use the private key 'k.pem': it belongs to another certificate than 'c.pem'");
  CHECK(check(certificate, *tests::make_identity({.key = "RSA1024"}).key) ==
        "cannot use the private key 'k.pem': it is RSA of 1024 bits, but the certificate 'c.pem' is for a key that is "
        "EC on prime256v1");
}

}  // namespace
}  // namespace hearsay::pem
