#include "sdk/report_command/text.h"

#include <vector>

namespace hearsay::sdk {

Result<std::string> read_all(std::istream& in, const std::string& name) {
  constexpr std::size_t kMost = 8U << 20U;  // twice as much as a task's document may have
  std::string text;
  std::vector<char> part(1U << 16U);
  do {
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMost) return Error{ErrorCode::kLimitExceeded, "'" + name + "' has more than 8 MiB"};
  } while (in);
  if (in.bad()) return Error{ErrorCode::kIo, "'" + name + "' cannot be read"};
  return text;
}

std::string printable(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if (byte == 0xC2 && next >= 0x80 && next <= 0x9F) {  // U+0080 to U+009F in UTF-8
      safe += '?';
      ++i;
    } else {
      safe += (byte < 0x20 && byte != '\n') || byte == 0x7F ? '?' : text[i];
    }
  }
  return safe;
}

}  // namespace hearsay::sdk
