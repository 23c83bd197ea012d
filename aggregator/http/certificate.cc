#include "aggregator/http/certificate.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>

#include "common/base/try.h"
#include "common/pem/pem.h"

namespace hearsay::http {

namespace {

using pem::PemFile;
using Chain = std::vector<pem::Certificate>;

UnixSeconds seconds_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return 0;
  return static_cast<UnixSeconds>(std::max<std::time_t>(timegm(&parts), 0));
}

std::string text_of(UnixSeconds time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm parts{};
  std::array<char, 32> text{};
  gmtime_r(&seconds, &parts);
  return {text.data(), std::strftime(text.data(), text.size(), "%FT%TZ", &parts)};
}

bool issued(const pem::Certificate& issuer, const pem::Certificate& subject) {
  return X509_check_issued(issuer.get(), subject.get()) == X509_V_OK;
}

std::string issuer_of(X509* certificate) {
  const std::unique_ptr<char, void (*)(char*)> name(X509_NAME_oneline(X509_get_issuer_name(certificate), nullptr, 0),
                                                    [](char* text) { OPENSSL_free(text); });
  return name ? name.get() : "";
}

// Returns true if the certificate says where to get the certificate of its issuer. Certificates from public authorities
// say this. The issuers of these certificates are intermediate authorities, which clients do not know.
bool has_issuer_address(const X509* certificate) {
  const std::unique_ptr<AUTHORITY_INFO_ACCESS, void (*)(AUTHORITY_INFO_ACCESS*)> access(
      static_cast<AUTHORITY_INFO_ACCESS*>(X509_get_ext_d2i(certificate, NID_info_access, nullptr, nullptr)),
      AUTHORITY_INFO_ACCESS_free);
  for (int i = 0; access && i < sk_ACCESS_DESCRIPTION_num(access.get()); ++i) {
    if (OBJ_obj2nid(sk_ACCESS_DESCRIPTION_value(access.get(), i)->method) == NID_ad_ca_issuers) return true;
  }
  return false;
}

bool names_host(const X509* certificate) {
  const std::unique_ptr<GENERAL_NAMES, void (*)(GENERAL_NAMES*)> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const int type = sk_GENERAL_NAME_value(names.get(), i)->type;
    if (type == GEN_DNS || type == GEN_IPADD) return true;
  }
  return false;
}

std::vector<std::string> doubts_about(const Chain& chain, const TlsFiles& files) {
  std::vector<std::string> doubts;
  const std::string certificate = "certificate '" + files.certificate + "': ";
  X509* const leaf = chain.front().get();
  if (!names_host(leaf)) {
    doubts.push_back(certificate + "it names no host as subject alternative name, and most clients read no other name");
  }
  if (chain.size() == 1 && !issued(chain.front(), chain.front()) && has_issuer_address(leaf)) {
    doubts.push_back(certificate + "the file lacks the certificate of the issuer, " + issuer_of(leaf) +
                     "; append it, unless clients trust that issuer itself");
  }
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (issued(chain[i], chain[i - 1])) continue;
    doubts.push_back(certificate + "certificate " + std::to_string(i + 1) + " of the file did not issue certificate " +
                     std::to_string(i) +
                     "; put the server's certificate first, and behind each certificate its issuer's");
    break;
  }
  struct stat status {};
  if (::stat(files.private_key.c_str(), &status) == 0 && (status.st_mode & (S_IROTH | S_IWOTH)) != 0) {
    doubts.push_back("private key '" + files.private_key + "': every user of the machine can use the file; chmod 600");
  }
  return doubts;
}

Error refused(const PemFile& file, const X509* certificate, const std::string& which) {
  const unsigned long code = ERR_peek_last_error();
  const char* const reason = ERR_reason_error_string(code);
  ERR_clear_error();
  const EVP_PKEY* const key = X509_get0_pubkey(certificate);
  switch (ERR_GET_REASON(code)) {
    case SSL_R_EE_KEY_TOO_SMALL:
    case SSL_R_CA_KEY_TOO_SMALL:
      return file.error(which + " has a key that is too short (" + (key == nullptr ? "" : pem::kind_of(*key)) +
                        "); use EC on P-256, or RSA of 2048 bits");
    case SSL_R_CA_MD_TOO_WEAK:
      return file.error(which + " is signed with too weak a hash (" + OBJ_nid2sn(X509_get_signature_nid(certificate)) +
                        "); have it signed with SHA-256");
    default:
      return file.error(which + " is refused by OpenSSL: " + (reason == nullptr ? "no reason given" : reason));
  }
}

struct FreeTls {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

// Makes a handshake in memory with a client that has OpenSSL's defaults and verifies nothing. The handshake shows
// whether clients accept the kind and curve of the key.
bool client_takes(SSL_CTX* context) {
  const std::unique_ptr<SSL_CTX, FreeTls> defaults(SSL_CTX_new(TLS_client_method()));
  const std::unique_ptr<SSL, FreeTls> client(defaults ? SSL_new(defaults.get()) : nullptr);
  const std::unique_ptr<SSL, FreeTls> server(SSL_new(context));
  BIO* near = nullptr;
  BIO* far = nullptr;
  if (!client || !server || BIO_new_bio_pair(&near, 0, &far, 0) != 1) return false;
  SSL_set_bio(client.get(), near, near);
  SSL_set_bio(server.get(), far, far);
  SSL_set_connect_state(client.get());
  SSL_set_accept_state(server.get());
  constexpr int kSteps = 100;  // several steps, because a chain may be longer than the buffer between client and server
  bool done = false;
  for (int i = 0; i < kSteps && !done; ++i) {
    done = SSL_do_handshake(client.get()) == 1;
    done = SSL_do_handshake(server.get()) == 1 && done;
  }
  ERR_clear_error();
  return done;
}

}  // namespace

Result<ServedCertificate> use_certificate(SSL_CTX* context, const TlsFiles& files) {
  const PemFile certificate_file{PemFile::Role::kCertificate, files.certificate};
  const PemFile key_file{PemFile::Role::kPrivateKey, files.private_key};
  HEARSAY_TRY(const Chain chain, pem::read_certificates(certificate_file));
  HEARSAY_TRY(const pem::PrivateKey key, pem::read_private_key(key_file));
  HEARSAY_CHECK_OK(pem::check_pair(certificate_file, chain, key_file, *key));

  ERR_clear_error();
  X509* const leaf = chain.front().get();
  const EVP_PKEY* const certified = X509_get0_pubkey(leaf);
  if (SSL_CTX_use_certificate(context, leaf) != 1) return refused(certificate_file, leaf, "it");
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, chain[i].get()) != 1) {
      return refused(certificate_file, chain[i].get(), "its certificate " + std::to_string(i + 1));
    }
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) return refused(key_file, leaf, "it");
  if (X509_check_purpose(leaf, X509_PURPOSE_SSL_SERVER, 0) != 1) {
    return certificate_file.error(
        "it is not for servers (key usage, extended key usage); get a certificate for server authentication");
  }
  if ((X509_get_extension_flags(leaf) & EXFLAG_CRITICAL) != 0) {
    return certificate_file.error(
        "it has a critical extension that clients do not know; get a certificate without this extension");
  }
  if (seconds_of(X509_get0_notAfter(leaf)) < seconds_of(X509_get0_notBefore(leaf))) {
    return certificate_file.error("it expires before it becomes valid; get a certificate for a time to come");
  }
  if (!client_takes(context)) {
    return certificate_file.error("no client takes a key of its kind (" +
                                  (certified == nullptr ? "" : pem::kind_of(*certified)) +
                                  "); use EC on P-256, or RSA of 2048 bits");
  }

  ServedCertificate served{files.certificate, seconds_of(X509_get0_notBefore(leaf)),
                           seconds_of(X509_get0_notAfter(leaf)), doubts_about(chain, files)};
  if (chain.size() > 1 && issued(chain[1], chain[0])) {
    served.not_before = std::max(served.not_before, seconds_of(X509_get0_notBefore(chain[1].get())));
    served.not_after = std::min(served.not_after, seconds_of(X509_get0_notAfter(chain[1].get())));
  }
  ERR_clear_error();
  return served;
}

std::string time_fault(const ServedCertificate& certificate, UnixSeconds now) {
  if (now > certificate.not_after) {
    return "it expired at " + text_of(certificate.not_after) + ", and the clock says " + text_of(now) + "; renew it";
  }
  if (now < certificate.not_before) {
    return "it is valid from " + text_of(certificate.not_before) + " on, and the clock says " + text_of(now) +
           "; set the clock right, or wait";
  }
  return "";
}

}  // namespace hearsay::http
