// Implements system_bit_source(). The source is safe after fork(): the buffer and the canary in front of it share one
// page that the kernel zeroes in a child process (MADV_WIPEONFORK, Linux 4.14), however the child was made. The child
// reads a zero canary and refills.
//
// OpenSSL's generator recognises a child only by its process id. A child with its parent's id (in a process namespace
// of its own) would continue the parent's stream. So in a child, refill() first mixes fresh bytes of the kernel into
// the generator.
//
// If the kernel does not know MADV_WIPEONFORK, the source cannot recognise a child. Then the source fetches single
// bytes, hands each byte out at once, and mixes fresh bytes of the kernel into the generator before each fetch. So two
// processes share no buffered bytes. Reading bits in this way is slow.

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "common/random/bit_source.h"

namespace hearsay {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kBufferBytes = kPageBytes - 1;  // the first byte is the canary

class SystemBitSource final : public BitSource {
 public:
  SystemBitSource() {
    void* page = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw EntropyError();
    page_ = static_cast<std::uint8_t*>(page);
    capacity_ = madvise(page, kPageBytes, MADV_WIPEONFORK) == 0 ? kBufferBytes : 1;
    fork_canary_ = page_;
    next_ = end_ = page_ + 1;
  }

  ~SystemBitSource() override {
    OPENSSL_cleanse(page_, kPageBytes);
    munmap(page_, kPageBytes);
  }

 private:
  void refill() override {
    next_ = end_ = page_ + 1;  // the buffer stays empty if the generator fails
    const bool may_be_child = capacity_ == 1 || (filled_ && *page_ == 0);
    if (may_be_child) {
      std::array<std::uint8_t, 32> seed{};
      if (getentropy(seed.data(), seed.size()) != 0) throw EntropyError();
      RAND_seed(seed.data(), static_cast<int>(seed.size()));
      OPENSSL_cleanse(seed.data(), seed.size());
    }
    if (RAND_bytes(next_, static_cast<int>(capacity_)) != 1) throw EntropyError();
    *page_ = 1;
    filled_ = true;
    end_ = next_ + capacity_;
  }

  std::uint8_t* page_ = nullptr;
  std::size_t capacity_ = 0;
  bool filled_ = false;  // true after the first refill
};

}  // namespace

BitSource& system_bit_source() {
  thread_local SystemBitSource source;
  return source;
}

}  // namespace hearsay
