#include "aggregator/store/rocks/id_secret.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace hearsay::store::rocks {

// AES-128 in ECB mode, which is the right mode for a table of single blocks.
struct IdSecret::Cipher {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  ~Cipher() { EVP_CIPHER_CTX_free(context); }
};

IdSecret::IdSecret(BitSource& bits) : cipher_(std::make_unique<Cipher>()) {
  std::array<std::uint8_t, 16> key{};
  bits.fill(key);
  bits.fill(digest_secret_);
  EVP_CIPHER_CTX* const context = cipher_->context;
  const bool good = context != nullptr &&
                    EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), nullptr, key.data(), nullptr) == 1 &&
                    EVP_CIPHER_CTX_set_padding(context, 0) == 1;
  OPENSSL_cleanse(key.data(), key.size());
  if (!good) throw std::runtime_error("AES is not available");
}

IdSecret::~IdSecret() { OPENSSL_cleanse(digest_secret_.data(), digest_secret_.size()); }

void IdSecret::encrypt(const std::uint8_t* blocks, std::uint8_t* hidden, std::size_t count) {
  constexpr std::size_t kBlock = sizeof(ReportId);
  constexpr std::size_t kMost = std::size_t{1} << 24U;  // EVP takes the number of bytes as an int
  for (std::size_t from = 0; from < count; from += kMost) {
    const int size = static_cast<int>(std::min(kMost, count - from) * kBlock);
    int written = 0;
    const int good =
        EVP_EncryptUpdate(cipher_->context, hidden + from * kBlock, &written, blocks + from * kBlock, size);
    if (good != 1 || written != size) throw std::runtime_error("AES failed");
  }
}

void IdSecret::hide(UnixSeconds window, std::span<const ReportId> ids, std::span<HiddenId> hidden) {
  static_assert(sizeof(ReportId) == 16 && sizeof(HiddenId) == 16);
  ReportId tweak{};
  std::memcpy(tweak.bytes.data(), &window, sizeof(window));
  encrypt(tweak.bytes.data(), tweak.bytes.data(), 1);
  combined_.assign(ids.begin(), ids.end());
  for (ReportId& id : combined_) {
    for (std::size_t i = 0; i < id.bytes.size(); ++i) id.bytes[i] ^= tweak.bytes[i];
  }
  encrypt(reinterpret_cast<const std::uint8_t*>(combined_.data()), reinterpret_cast<std::uint8_t*>(hidden.data()),
          ids.size());
}

std::uint64_t IdSecret::digest(std::span<const std::uint8_t> bytes) const {
  const std::uint64_t hash =
      XXH3_64bits_withSecret(bytes.data(), bytes.size(), digest_secret_.data(), digest_secret_.size());
  return hash == 0 ? 1 : hash;
}

}  // namespace hearsay::store::rocks
