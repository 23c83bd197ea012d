#include "common/pem/pem.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/base/try.h"
#include "common/pem/diagnosis.h"

namespace hearsay::pem {
namespace {

constexpr std::size_t kMaxFileBytes = 16U << 20U;  // a system's bundle of authorities is much smaller than this

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;

struct Block {
  std::string name;  // as in "-----BEGIN name-----"
  bool encrypted = false;
  std::string der;
};

std::string_view name_of(PemFile::Role role) {
  switch (role) {
    case PemFile::Role::kCertificate:
      return "certificate";
    case PemFile::Role::kPrivateKey:
      return "private key";
    case PemFile::Role::kAuthorities:
      break;
  }
  return "authorities";
}

std::string take_reason() {
  const unsigned long code = ERR_peek_last_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "OpenSSL does not say why" : reason;
}

Result<std::string> read(const PemFile& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file.path, ignored)) return file.error("it is a directory; name a PEM file");
  errno = 0;
  std::ifstream in(file.path, std::ios::binary);
  if (!in) return file.error(std::strerror(errno));
  std::string text;
  std::array<char, 1U << 14U> part;
  while (in.read(part.data(), part.size()), in.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxFileBytes) return file.error("it has more than 16 MiB; name a PEM file");
  }
  if (in.bad()) return file.error(std::strerror(errno));
  return text;
}

// Returns all PEM blocks of a file. A file without blocks is an error.
Result<std::vector<Block>> read_blocks(const PemFile& file) {
  HEARSAY_TRY(const std::string text, read(file));
  ERR_clear_error();
  const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  if (!bio) return Error{ErrorCode::kInternal, take_reason()};
  std::vector<Block> blocks;
  for (;;) {
    char* name = nullptr;
    char* header = nullptr;
    unsigned char* data = nullptr;
    long size = 0;
    if (PEM_read_bio(bio.get(), &name, &header, &data, &size) != 1) break;
    const bool encrypted = std::strstr(header, "ENCRYPTED") != nullptr || std::strstr(name, "ENCRYPTED") != nullptr;
    blocks.push_back({name, encrypted, {reinterpret_cast<const char*>(data), static_cast<std::size_t>(size)}});
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_clear_free(data, static_cast<std::size_t>(size));
  }
  // At the end of the file, OpenSSL reports that there is no further start line.
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
    return file.error("its PEM block " + std::to_string(blocks.size() + 1) + " is damaged (" + take_reason() +
                      "); copy the file again");
  }
  ERR_clear_error();
  if (blocks.empty()) return file.error(diagnose_text(text, file.role));
  return blocks;
}

}  // namespace

Error PemFile::error(std::string_view reason) const {
  return {ErrorCode::kIo,
          std::string("cannot use the ").append(name_of(role)).append(" '").append(path).append("': ").append(reason)};
}

std::string kind_of(const EVP_PKEY& key) {
  const char* const name = EVP_PKEY_get0_type_name(&key);
  const std::string kind = name == nullptr ? "of an unknown kind" : name;
  if (EVP_PKEY_is_a(&key, "EC") != 1) {
    const bool sized = kind.starts_with("RSA") || kind == "DSA";
    return sized ? kind + " of " + std::to_string(EVP_PKEY_get_bits(&key)) + " bits" : kind;
  }
  std::array<char, 80> group{};
  const bool named = EVP_PKEY_get_group_name(&key, group.data(), group.size(), nullptr) == 1;
  ERR_clear_error();
  return kind + " on " + (named ? group.data() : "a curve without a name");
}

Result<std::vector<Certificate>> read_certificates(const PemFile& file) {
  HEARSAY_TRY(const std::vector<Block> blocks, read_blocks(file));
  std::vector<Certificate> certificates;
  for (const Block& block : blocks) {
    if (!block.name.ends_with("CERTIFICATE")) continue;
    const auto* at = reinterpret_cast<const unsigned char*>(block.der.data());
    const auto size = static_cast<long>(block.der.size());
    // In a "TRUSTED CERTIFICATE", a list of trusted purposes follows the certificate.
    certificates.emplace_back(block.name.starts_with("TRUSTED") ? d2i_X509_AUX(nullptr, &at, size)
                                                                : d2i_X509(nullptr, &at, size));
    if (!certificates.back()) {
      return file.error("its certificate " + std::to_string(certificates.size()) + " is damaged (" + take_reason() +
                        "); copy the file again");
    }
  }
  if (certificates.empty()) return file.error(diagnose_block(blocks.front().name, file.role));
  return certificates;
}

Result<PrivateKey> read_private_key(const PemFile& file) {
  HEARSAY_TRY(const std::vector<Block> blocks, read_blocks(file));
  for (const Block& block : blocks) {
    if (!block.name.ends_with("PRIVATE KEY")) continue;
    if (block.encrypted) {
      return file.error(
          "the key is encrypted, and this program asks for no passphrase; write the key unencrypted with `openssl pkey "
          "-in FILE -out NEW`, in a file of mode 0600");
    }
    const auto* at = reinterpret_cast<const unsigned char*>(block.der.data());
    PrivateKey key(d2i_AutoPrivateKey(nullptr, &at, static_cast<long>(block.der.size())));
    const std::string reason = take_reason();
    if (key) return key;
    return file.error(block.name.starts_with("OPENSSH")
                          ? "the key is in OpenSSH's own format; make a key with `openssl genpkey`"
                          : "the key is damaged (" + reason + "); copy the file again");
  }
  return file.error(diagnose_block(blocks.front().name, file.role));
}

Result<void> check_pair(const PemFile& certificate_file, const std::vector<Certificate>& chain, const PemFile& key_file,
                        EVP_PKEY& key) {
  const auto fits = [&key](const Certificate& certificate) {
    const bool result = X509_check_private_key(certificate.get(), &key) == 1;
    ERR_clear_error();
    return result;
  };
  if (fits(chain.front())) return {};
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (!fits(chain[i])) continue;
    return certificate_file.error("the private key '" + key_file.path + "' belongs to its certificate " +
                                  std::to_string(i + 1) +
                                  ", which must come first; put the certificates of its issuers behind it");
  }
  const EVP_PKEY* const certified = X509_get0_pubkey(chain.front().get());
  ERR_clear_error();
  const std::string ours = kind_of(key);
  const std::string theirs = certified == nullptr ? "of an unknown kind" : kind_of(*certified);
  return key_file.error(ours == theirs ? "it belongs to another certificate than '" + certificate_file.path + "'"
                                       : "it is " + ours + ", but the certificate '" + certificate_file.path +
                                             "' is for a key that is " + theirs);
}

}  // namespace hearsay::pem
