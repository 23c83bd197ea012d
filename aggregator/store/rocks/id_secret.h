// What hides ids and reports from those who choose them: keys drawn at start, which never leave the process.
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

// One thread at a time.
class IdSecret {
 public:
  // Throws EntropyError.
  explicit IdSecret(BitSource& bits);
  ~IdSecret();
  IdSecret(const IdSecret&) = delete;
  IdSecret& operator=(const IdSecret&) = delete;

  // Hides the ids of reports of one window: AES-128 of each id combined with the hidden window. Within a window that is
  // a permutation, so that different ids stay different; in two windows ids meet with probability 2^-128. `ids` and
  // `hidden` have the same size.
  void hide(UnixSeconds window, std::span<const ReportId> ids, std::span<HiddenId> hidden);
  // XXH3 under a random secret; never 0.
  std::uint64_t digest(std::span<const std::uint8_t> bytes) const;

 private:
  struct Cipher;
  void encrypt(const std::uint8_t* blocks, std::uint8_t* hidden, std::size_t count);

  std::unique_ptr<Cipher> cipher_;
  std::vector<ReportId> combined_;  // kept for its memory
  std::array<std::uint8_t, 192> digest_secret_;
};

}  // namespace hearsay::store::rocks
