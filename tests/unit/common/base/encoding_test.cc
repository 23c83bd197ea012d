#include "common/base/encoding.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

namespace hearsay {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Encodes by the definition: the bytes form one string of bits, which is cut into pieces of six bits.
std::string slow_encode(const Bytes& bytes) {
  std::string bits;
  for (const std::uint8_t byte : bytes) {
    for (int bit = 7; bit >= 0; --bit) bits += (byte >> bit & 1) != 0 ? '1' : '0';
  }
  while (bits.size() % 6 != 0) bits += '0';
  std::string text;
  for (std::size_t i = 0; i < bits.size(); i += 6) text += kAlphabet[std::stoul(bits.substr(i, 6), nullptr, 2)];
  return text;
}

TEST_CASE("base64url gives the vectors of RFC 4648, without padding") {
  const std::pair<std::string_view, std::string_view> vectors[] = {
      {"", ""},           {"f", "Zg"},          {"fo", "Zm8"},         {"foo", "Zm9v"},
      {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : vectors) {
    CHECK(base64url_encode(bytes_of(plain)) == encoded);
    CHECK(*base64url_decode(encoded) == bytes_of(plain));
  }
  CHECK(base64url_encode(Bytes{0xfb, 0xff}) == "-_8");
}

TEST_CASE("base64url agrees with the definition and decodes what it encodes") {
  std::mt19937 random(3);
  for (std::size_t length = 0; length < 100; ++length) {
    for (int i = 0; i < 20; ++i) {
      Bytes bytes(length);
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
      const std::string text = base64url_encode(bytes);
      CHECK(text == slow_encode(bytes));
      CHECK(*base64url_decode(text) == bytes);
    }
  }
}

TEST_CASE("of all texts of two and three characters, only canonical base64url decodes") {
  std::set<std::string> canonical;
  for (int first = 0; first < 256; ++first) canonical.insert(slow_encode({static_cast<std::uint8_t>(first)}));
  std::size_t decoded = 0;
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string text{static_cast<char>(a), static_cast<char>(b)};
      const bool accepted = static_cast<bool>(base64url_decode(text));
      CHECK_MESSAGE(accepted == canonical.contains(text), a << " " << b);
      decoded += accepted ? 1 : 0;
    }
  }
  CHECK(decoded == 256);

  decoded = 0;
  for (const char a : kAlphabet) {
    for (const char b : kAlphabet) {
      for (const char c : kAlphabet) decoded += base64url_decode(std::string{a, b, c}) ? 1 : 0;
    }
  }
  CHECK(decoded == 65536);
}

TEST_CASE("malformed base64url is refused") {
  for (const std::string_view text :
       {"A", "AAAAA", "Zg=", "Zg==", "Zm9v=", "Zm+v", "Zm/v", "Zm9 v", "Zm9v\n", " Zm9v", "Zh", "Zm9", "Zm9vYh"}) {
    CAPTURE(text);
    const auto decoded = base64url_decode(text);
    REQUIRE_FALSE(decoded);
    CHECK(decoded.error().code == ErrorCode::kInvalidArgument);
  }
  CHECK_FALSE(base64url_decode(std::string_view("Zg\0v", 4)));
}

TEST_CASE("hexadecimal text is written and read") {
  CHECK(hex_encode({}).empty());
  CHECK(hex_encode(Bytes{0x00, 0x0f, 0xf0, 0xa5, 0xff}) == "000ff0a5ff");
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::string text = hex_encode(Bytes{static_cast<std::uint8_t>(byte)});
    REQUIRE(text.size() == 2);
    CHECK(std::stoul(text, nullptr, 16) == byte);
  }
}

}  // namespace
}  // namespace hearsay
