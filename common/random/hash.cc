#include "common/random/hash.h"

#include <openssl/sha.h>

namespace hearsay {
namespace {

class Sha256 final : public Hash {
 public:
  Digest digest(std::span<const std::uint8_t> bytes) const override {
    Digest result;
    SHA256(bytes.data(), bytes.size(), result.data());
    return result;
  }
};

}  // namespace

const Hash& sha256() {
  static const Sha256 hash;
  return hash;
}

}  // namespace hearsay
