#include "common/random/cleanse.h"

#include <openssl/crypto.h>

namespace hearsay {

void cleanse(void* memory, std::size_t size) noexcept { OPENSSL_cleanse(memory, size); }

}  // namespace hearsay
