// Gives the core random bits and SHA-256 in WebAssembly. The module imports both from JavaScript. The random bits come
// from crypto.getRandomValues(): see ../src/core.ts.

#include <string.h>

#include <array>

#include "common/random/bit_source.h"
#include "common/random/cleanse.h"
#include "common/random/hash.h"

extern "C" {
// Fills `size` (at most 65,536) bytes. Returns 0, or 1 if there are no random bits.
__attribute__((import_module("hearsay"), import_name("random"))) int hearsay_import_random(void* out, unsigned size);
// Writes the SHA-256 hash of the bytes, 32 bytes, to `out`.
__attribute__((import_module("hearsay"), import_name("sha256"))) void hearsay_import_sha256(const void* bytes,
                                                                                            unsigned size, void* out);
}

namespace hearsay {
namespace {

constexpr std::size_t kBufferBytes = 4096;

// An instance of the module has neither child processes nor threads, so the source checks for neither.
class ImportedBitSource final : public BitSource {
  void refill() override {
    next_ = end_ = buffer_.data();  // stays empty if JavaScript gives no bits
    if (hearsay_import_random(buffer_.data(), kBufferBytes) != 0) throw EntropyError();
    end_ = buffer_.data() + kBufferBytes;
  }

  std::array<std::uint8_t, kBufferBytes> buffer_{};
};

class ImportedSha256 final : public Hash {
 public:
  Digest digest(std::span<const std::uint8_t> bytes) const override {
    Digest result;
    hearsay_import_sha256(bytes.data(), bytes.size(), result.data());
    return result;
  }
};

}  // namespace

BitSource& system_bit_source() {
  static ImportedBitSource source;
  return source;
}

const Hash& sha256() {
  static const ImportedSha256 hash;
  return hash;
}

void cleanse(void* memory, std::size_t size) noexcept { explicit_bzero(memory, size); }

}  // namespace hearsay
