#include "aggregator/compiler/public_bits.h"

#include <openssl/evp.h>

#include <stdexcept>
#include <vector>

namespace hearsay::compiler {

Digest sample_key(const TaskId& task, std::string_view text) {
  constexpr std::string_view kLabel("hearsay sample 1\0", 17);
  std::vector<std::uint8_t> bytes(kLabel.begin(), kLabel.end());
  bytes.insert(bytes.end(), task.bytes.begin(), task.bytes.end());
  bytes.insert(bytes.end(), text.begin(), text.end());
  return sha256().digest(bytes);
}

PublicBits::PublicBits(const Digest& key, std::uint64_t stream) : cipher_(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free) {
  std::array<std::uint8_t, 16> first{};
  for (std::size_t i = 0; i < 8; ++i) first[i] = static_cast<std::uint8_t>(stream >> (56 - 8 * i));
  if (!cipher_ || EVP_EncryptInit_ex(cipher_.get(), EVP_aes_256_ctr(), nullptr, key.data(), first.data()) != 1) {
    throw std::runtime_error("AES-256-CTR is not available");
  }
}

void PublicBits::refill() {
  constexpr std::array<std::uint8_t, 4096> kZeros{};
  int written = 0;
  if (EVP_EncryptUpdate(cipher_.get(), buffer_.data(), &written, kZeros.data(), static_cast<int>(kZeros.size())) != 1) {
    throw std::runtime_error("AES-256-CTR failed");
  }
  next_ = buffer_.data();
  end_ = next_ + buffer_.size();
}

}  // namespace hearsay::compiler
