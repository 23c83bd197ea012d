#include "common/base/media_type.h"

#include <algorithm>

namespace hearsay {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool means_media_type(std::string_view content_type, std::string_view type) {
  content_type = content_type.substr(0, content_type.find(';'));
  while (!content_type.empty() && (content_type.back() == ' ' || content_type.back() == '\t')) {
    content_type.remove_suffix(1);
  }
  return std::equal(content_type.begin(), content_type.end(), type.begin(), type.end(),
                    [](char a, char b) { return lower(a) == b; });
}

}  // namespace hearsay
