#include "aggregator/charts/labels.h"

#include <algorithm>
#include <numeric>

namespace hearsay::charts {
namespace {

// The assumed width of most characters, divided by the font size.
constexpr double kGlyph = 0.62;
constexpr double kWideGlyph = 1.05;  // the same for characters of East Asian scripts and for emoji
constexpr const char* kEllipsis = "…";

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> result;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    result.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return result;
}

// Characters from U+1100 on count as wide.
bool is_wide(std::string_view character) {
  return character.size() > 3 || (character.size() == 3 && character >= "\xE1\x84\x80");
}

double width_of(std::string_view character, int font) {
  const bool ascii_capital = character.size() == 1 && ((character[0] >= 'A' && character[0] <= 'Z') ||
                                                       character[0] == '%' || character[0] == '@');
  const bool broad = ascii_capital || character == "m" || character == "w";
  const double glyph = is_wide(character) && character != kEllipsis ? kWideGlyph : broad ? 0.9 : kGlyph;
  return glyph * font;
}

}  // namespace

double text_width(std::string_view text, int font) {
  double width = 0;
  for (const std::string_view character : characters(text)) width += width_of(character, font);
  return width;
}

std::vector<std::string> wrapped(std::string_view text, int font, double width, std::size_t most) {
  std::vector<std::string> lines{""};
  double used = 0;
  std::size_t space = std::string::npos;
  for (const std::string_view character : characters(text)) {
    std::string& line = lines.back();
    used += width_of(character, font);
    if (used > width && !line.empty()) {
      std::string rest;
      if (character != " " && space != std::string::npos) {
        rest = line.substr(space + 1);
        line.erase(space);
      }
      lines.push_back(rest);
      used = text_width(rest, font) + width_of(character, font);
      space = std::string::npos;
      if (character == " ") {
        used = 0;
        continue;
      }
    } else if (character == " ") {
      space = line.size();
    }
    lines.back() += character;
  }
  if (lines.size() <= most) return lines;
  const std::string last = lines[most - 1] + " " + lines[most];
  lines.resize(most);
  lines.back() = fitted(last, font, width);
  return lines;
}

std::string fitted(std::string_view text, int font, double width) {
  if (text_width(text, font) <= width) return std::string(text);
  double left = width - text_width(kEllipsis, font);
  std::string result;
  for (const std::string_view character : characters(text)) {
    left -= width_of(character, font);
    if (left < 0) break;
    result += character;
  }
  return result + kEllipsis;
}

// Labels that would touch form a cluster. The cluster's centre is the mean of its labels' wanted positions, which
// minimises the sum of squared moves.
std::vector<double> spread(const std::vector<double>& wanted, double step, double top, double bottom) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  struct Cluster {
    double sum;
    double size;
    double step;
    double first() const { return sum / size - (size - 1) / 2 * step; }
  };
  std::vector<Cluster> clusters;
  for (const std::size_t i : order) {
    clusters.push_back({wanted[i], 1, step});
    while (clusters.size() > 1) {
      Cluster& above = clusters[clusters.size() - 2];
      if (above.first() + above.size * step <= clusters.back().first()) break;
      above.sum += clusters.back().sum;
      above.size += clusters.back().size;
      clusters.pop_back();
    }
  }
  std::vector<double> sorted;
  for (const Cluster& cluster : clusters) {
    for (int k = 0; k < static_cast<int>(cluster.size); ++k) sorted.push_back(cluster.first() + k * step);
  }
  // Moves the labels between top and bottom: first from the bottom up, then from the top down.
  double limit = bottom;
  for (std::size_t k = sorted.size(); k-- > 0; limit = sorted[k] - step) sorted[k] = std::min(sorted[k], limit);
  limit = top;
  for (std::size_t k = 0; k < sorted.size(); limit = sorted[k] + step, ++k) sorted[k] = std::max(sorted[k], limit);
  std::vector<double> heights(wanted.size());
  for (std::size_t k = 0; k < order.size(); ++k) heights[order[k]] = sorted[k];
  return heights;
}

}  // namespace hearsay::charts
