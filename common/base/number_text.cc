#include "common/base/number_text.h"

namespace hearsay {

std::string with_separators(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t place = text.size(); place > 3;) text.insert(place -= 3, ",");
  return text;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return with_separators(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

}  // namespace hearsay
