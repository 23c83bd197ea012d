#include "aggregator/csv/problems.h"

#include <algorithm>

namespace hearsay::csv {
namespace {

constexpr std::size_t kMaxKinds = 8;
constexpr std::size_t kMaxLines = 5;

}  // namespace

std::string first_of(const std::vector<std::string>& items, std::size_t most, std::size_t count) {
  const std::size_t shown = std::min(items.size(), most);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == count ? " and " : ", ";
    text += items[i];
  }
  return count > shown ? text + " and " + std::to_string(count - shown) + " more" : text;
}

void Problems::add(std::size_t line, std::size_t kind) {
  auto known = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& k) { return k.kind == kind; });
  if (known == kinds_.end()) {
    if (kinds_.size() == kMaxKinds) {
      ++others_;
      return;
    }
    known = kinds_.insert(known, Kind{kind, {}, 0});
  }
  if (known->lines.size() < kMaxLines) known->lines.push_back(std::to_string(line));
  ++known->count;
}

std::string Problems::text(const std::function<std::string(std::size_t kind)>& describe) const {
  std::string text;
  for (const Kind& kind : kinds_) {
    if (!text.empty()) text += "; ";
    text += (kind.count == 1 ? "line " : "lines ") + first_of(kind.lines, kMaxLines, kind.count) + ": " +
            describe(kind.kind);
  }
  if (others_ > 0) text += "; and " + std::to_string(others_) + " more problems";
  return text;
}

}  // namespace hearsay::csv
