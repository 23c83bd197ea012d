// Encrypts ids and hashes reports under secret keys. Clients choose ids and reports. Without secret keys, clients could
// make ids or hashes collide. The keys are drawn when the store is opened and never leave the process.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "aggregator/store/rocks/id_index.h"
#include "common/random/bit_source.h"
#include "common/report/report.h"
#include "hearsay/clock.h"

namespace hearsay::store::rocks {

// Thread-safety: one thread at a time.
class IdSecret {
 public:
  // Throws EntropyError.
  explicit IdSecret(BitSource& bits);
  ~IdSecret();
  IdSecret(const IdSecret&) = delete;
  IdSecret& operator=(const IdSecret&) = delete;

  // Hides the ids of one window's reports: encrypts each id, XORed with the encrypted window, by AES-128. Within a
  // window, hide() permutes all ids, so different ids stay different. Ids of two windows become equal with a
  // probability of about 2^-128. `ids` and `hidden` must have the same size.
  void hide(UnixSeconds window, std::span<const ReportId> ids, std::span<HiddenId> hidden);
  // Returns XXH3 under a random secret; never 0.
  std::uint64_t digest(std::span<const std::uint8_t> bytes) const;

 private:
  struct Cipher;
  void encrypt(const std::uint8_t* blocks, std::uint8_t* hidden, std::size_t count);

  std::unique_ptr<Cipher> cipher_;
  std::vector<ReportId> combined_;  // kept to reuse its memory
  std::array<std::uint8_t, 192> digest_secret_;
};

}  // namespace hearsay::store::rocks
