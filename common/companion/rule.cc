#include "common/companion/rule.h"

#include <algorithm>
#include <array>

namespace hearsay {
namespace {

constexpr std::array<std::string_view, 5> kWhiteSpace{" ", "\t", "\n", "\r", "\u00a0"};

// Returns the number of the bin between ascending edges that holds `value`, from 0. Returns -1 below the first edge,
// and the number of bins from the last edge on.
template <class T, class Less>
std::int64_t bin_of(const std::vector<T>& edges, const T& value, const Less& less) {
  return std::upper_bound(edges.begin(), edges.end(), value, less) - edges.begin() - 1;
}

// Each place_of() returns the place of a text's value among the values from Rule::first to Rule::last. Returns nothing
// if the kind cannot read the text.
std::optional<Int128> place_of(const TextsKind& /*kind*/, std::string_view /*text*/) { return std::nullopt; }

std::optional<Int128> place_of(const StepsKind& kind, std::string_view text) {
  const auto number = decimal_from_text(text, kind.style);
  if (!number || (kind.whole && !number->whole)) return std::nullopt;
  return number->steps(kind.step) - kind.first;
}

std::optional<Int128> place_of(const BinsKind& kind, std::string_view text) {
  const auto number = decimal_from_text(text, kind.style);
  if (!number) return std::nullopt;
  return bin_of(kind.edges, *number, [](const Decimal& a, const Decimal& b) { return a.scaled < b.scaled; });
}

std::optional<Int128> place_of(const DatesKind& kind, std::string_view text) {
  const auto day = day_from_text(text, kind.order);
  if (!day) return std::nullopt;
  return bin_of(kind.edges, *day, std::less<>());
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto cut = [&text](std::string_view space) {
    if (text.starts_with(space)) return text.remove_prefix(space.size()), true;
    if (text.ends_with(space)) return text.remove_suffix(space.size()), true;
    return false;
  };
  while (std::any_of(kWhiteSpace.begin(), kWhiteSpace.end(), cut)) continue;
  return text;
}

std::optional<std::uint32_t> Rule::index_from_text(std::string_view text) const {
  text = trimmed(text);
  if (const auto found = spellings.find(text); found != spellings.end()) return found->second;
  if (text.empty()) return std::nullopt;
  if (const auto* texts = std::get_if<TextsKind>(&kind)) return texts->other;
  const auto place = std::visit([text](const auto& of) { return place_of(of, text); }, kind);
  const Int128 count = Int128{last} - first + 1;
  if (!place || (!clamp && (*place < 0 || *place >= count))) return std::nullopt;
  return first + static_cast<std::uint32_t>(std::clamp<Int128>(*place, 0, count - 1));
}

}  // namespace hearsay
