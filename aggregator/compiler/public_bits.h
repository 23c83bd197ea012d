// Pseudorandom bits that everybody can compute again: the same task and query give the same bits on every machine.
//
// Never use these bits for privacy. Whoever knows the task and the query knows the bits. The bits only choose the
// records of a public distribution over which the compiler averages. The bits that protect a report come from
// system_bit_source() alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "common/random/bit_source.h"
#include "common/random/hash.h"
#include "hearsay/task.h"

struct evp_cipher_ctx_st;  // OpenSSL's EVP_CIPHER_CTX

namespace hearsay::compiler {

// Returns SHA-256("hearsay sample 1" ‖ 0x00 ‖ the 32 bytes of the task's id ‖ text). `text` is the canonical query as
// Query::to_string() prints it.
Digest sample_key(const TaskId& task, std::string_view text);

// The keystream of AES-256 in counter mode under the key. The first counter block is the stream's number in 8 bytes,
// most significant first, and 8 zero bytes. Streams with different numbers do not overlap.
class PublicBits final : public BitSource {
 public:
  PublicBits(const Digest& key, std::uint64_t stream);

 private:
  void refill() override;

  std::unique_ptr<evp_cipher_ctx_st, void (*)(evp_cipher_ctx_st*)> cipher_;
  std::array<std::uint8_t, 4096> buffer_{};
};

}  // namespace hearsay::compiler
