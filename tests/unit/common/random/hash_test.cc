#include "common/random/hash.h"

#include <doctest/doctest.h>

#include <string_view>

#include "common/base/encoding.h"

namespace hearsay {
namespace {

std::string hash_of(std::string_view text) {
  return hex_encode(sha256().digest({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

// The examples of FIPS 180-4, and the empty message.
TEST_CASE("sha256 agrees with the published examples") {
  CHECK(hash_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hash_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

}  // namespace
}  // namespace hearsay
