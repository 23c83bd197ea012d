#include "common/base/encoding.h"

#include <array>

namespace hearsay {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kNone = 0xff;

constexpr std::array<std::uint8_t, 256> inverse_alphabet() {
  std::array<std::uint8_t, 256> inverse{};
  inverse.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    inverse[static_cast<std::uint8_t>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return inverse;
}

constexpr auto kInverse = inverse_alphabet();

}  // namespace

std::string base64url_encode(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t pending = 0;
  unsigned bits = 0;  // the number of bits of `pending` that are not written yet
  for (const std::uint8_t byte : bytes) {
    pending = (pending << 8U | byte) & 0xffffU;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text += kAlphabet[pending >> bits & 0x3fU];
    }
  }
  if (bits > 0) text += kAlphabet[pending << (6 - bits) & 0x3fU];
  return text;
}

Result<std::vector<std::uint8_t>> base64url_decode(std::string_view text) {
  const auto malformed = [] { return Error{ErrorCode::kInvalidArgument, "not unpadded base64url"}; };
  if (text.size() % 4 == 1) return malformed();
  std::vector<std::uint8_t> bytes(text.size() * 3 / 4);
  auto next = bytes.begin();
  std::uint32_t pending = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const std::uint8_t digit = kInverse[static_cast<std::uint8_t>(c)];
    if (digit == kNone) return malformed();
    pending = (pending << 6U | digit) & 0xffffU;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      *next++ = static_cast<std::uint8_t>(pending >> bits);
    }
  }
  // The bits that no byte uses must be zero, so that each byte string has only one text.
  if ((pending & ((1U << bits) - 1)) != 0) return malformed();
  return bytes;
}

std::string hex_encode(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xfU];
  }
  return text;
}

}  // namespace hearsay
