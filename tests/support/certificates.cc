#include "tests/support/certificates.h"

#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace hearsay::tests {
namespace {

template <class T>
T checked(T value) {
  if (!value) throw std::runtime_error("the test's certificate cannot be made");
  return value;
}

template <class Write>
std::string text_of(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(checked(BIO_new(BIO_s_mem())), &BIO_free);
  checked(write(bio.get()) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

EVP_PKEY* make_key(const std::string& kind) {
  return kind.starts_with("RSA") ? EVP_RSA_gen(std::stoul(kind.substr(3))) : EVP_EC_gen(kind.c_str());
}

}  // namespace

std::string Identity::certificate_pem() const {
  return text_of([this](BIO* bio) { return PEM_write_bio_X509(bio, certificate.get()); });
}

std::string Identity::key_pem(const std::string& passphrase) const {
  return text_of([&](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, key.get(), passphrase.empty() ? nullptr : EVP_aes_128_cbc(),
                                    reinterpret_cast<const unsigned char*>(passphrase.data()),
                                    static_cast<int>(passphrase.size()), nullptr, nullptr);
  });
}

Identity make_identity(const IdentitySpec& spec, const Identity* issuer) {
  Identity made;
  made.key.reset(checked(make_key(spec.key)));
  made.certificate.reset(checked(X509_new()));
  X509* const x509 = made.certificate.get();
  X509_set_version(x509, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(x509), spec.serial);
  ASN1_TIME_set(X509_getm_notBefore(x509), spec.not_before);
  ASN1_TIME_set(X509_getm_notAfter(x509), spec.not_after);
  X509_set_pubkey(x509, made.key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(spec.name.data()),
                             static_cast<int>(spec.name.size()), -1, 0);
  X509_set_issuer_name(x509, X509_get_subject_name(issuer == nullptr ? x509 : issuer->certificate.get()));
  for (const auto& [kind, text] : spec.extensions) {
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
        checked(X509V3_EXT_conf_nid(nullptr, nullptr, kind, text.c_str())), &X509_EXTENSION_free);
    checked(X509_add_ext(x509, extension.get(), -1) == 1);
  }
  checked(X509_sign(x509, issuer == nullptr ? made.key.get() : issuer->key.get(), EVP_sha256()));
  return made;
}

IdentitySpec authority_spec(const std::string& name) {
  IdentitySpec spec;
  spec.name = name;
  spec.extensions = {{NID_basic_constraints, "critical,CA:TRUE"}, {NID_key_usage, "keyCertSign"}};
  return spec;
}

void write_private(const std::string& path, const std::string& content) {
  std::ofstream(path) << content;
  std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace hearsay::tests
