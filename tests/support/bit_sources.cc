#include "tests/support/bit_sources.h"

#include <openssl/evp.h>

#include <stdexcept>

#include "common/random/hash.h"

namespace hearsay::tests {

CounterBitSource::CounterBitSource(std::string_view key) : cipher_(EVP_CIPHER_CTX_new()) {
  const Digest digest = sha256().digest({reinterpret_cast<const std::uint8_t*>(key.data()), key.size()});
  constexpr std::array<std::uint8_t, 16> kFirstCounter{};
  auto* cipher = static_cast<EVP_CIPHER_CTX*>(cipher_);
  if (EVP_EncryptInit_ex(cipher, EVP_aes_256_ctr(), nullptr, digest.data(), kFirstCounter.data()) != 1) {
    throw std::runtime_error("AES-256-CTR is not available");
  }
}

CounterBitSource::~CounterBitSource() { EVP_CIPHER_CTX_free(static_cast<EVP_CIPHER_CTX*>(cipher_)); }

void CounterBitSource::refill() {
  constexpr std::array<std::uint8_t, 4096> kZeros{};
  int written = 0;
  auto* cipher = static_cast<EVP_CIPHER_CTX*>(cipher_);
  if (EVP_EncryptUpdate(cipher, buffer_.data(), &written, kZeros.data(), static_cast<int>(kZeros.size())) != 1) {
    throw std::runtime_error("AES-256-CTR failed");
  }
  next_ = buffer_.data();
  end_ = next_ + buffer_.size();
  produced_ += buffer_.size();
}

ScriptedBitSource::ScriptedBitSource(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {
  next_ = bytes_.data();
  end_ = next_ + bytes_.size();
}

}  // namespace hearsay::tests
