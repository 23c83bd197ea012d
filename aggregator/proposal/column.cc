#include "aggregator/proposal/column.h"

#include <locale.h>
#include <wctype.h>

#include <boost/locale/encoding_utf.hpp>
#include <stdexcept>
#include <string_view>

#include "common/companion/rule.h"

namespace hearsay::proposal {
namespace {

// Returns a locale that knows the letters of all scripts.
locale_t all_scripts() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (locale == nullptr) throw std::runtime_error("the system lacks the locale C.UTF-8");
  return locale;
}

}  // namespace

void Column::add(const std::string& text, std::size_t line, bool missing) {
  if (missing) {
    ++missing_;
    if (text.empty()) ++empty_;
    return;
  }
  ++present_;
  const auto [known, is_new] = index_.emplace(text, texts_.size());
  if (is_new) texts_.push_back({text, 0, line});
  ++texts_[known->second].count;
}

std::string folded(const std::string& text) {
  std::wstring result;
  for (const wchar_t c : boost::locale::conv::utf_to_utf<wchar_t>(text)) {
    const bool space = c == L' ' || c == L'\t' || c == L'\n' || c == L'\r';
    if (space && (result.empty() || result.back() == L' ')) continue;
    result += space ? L' ' : static_cast<wchar_t>(towlower_l(static_cast<wint_t>(c), all_scripts()));
  }
  return boost::locale::conv::utf_to_utf<char>(result);
}

}  // namespace hearsay::proposal
