#include "aggregator/charts/figure.h"

#include <algorithm>

#include "aggregator/charts/labels.h"

namespace hearsay::charts {

std::string to_svg(const Figure& figure) {
  constexpr double kMargin = 12;
  constexpr double kWidth = 760;  // the least width of the document, and the width of its title and notes
  constexpr double kLine = 20;
  constexpr double kPanelGap = 20;
  constexpr std::size_t kMostLines = 4;
  Canvas canvas;
  Size size{kWidth, 12};
  const auto paragraph = [&](const std::string& text, const TextLook& look, double height) {
    if (text.empty()) return;
    for (const std::string& line : wrapped(text, look.size, kWidth - 2 * kMargin, kMostLines)) {
      size.height += height;
      canvas.text({kMargin, size.height}, line, look);
    }
  };
  paragraph(figure.title, {.size = kTitleFont, .bold = true}, 24);
  paragraph(figure.subtitle, {.colour = kDarkGrey}, kLine);
  for (const Panel& panel : figure.panels) {
    size.height += kPanelGap;
    canvas.set_origin({0, size.height});
    const Size taken = std::visit([&](const auto& chart) { return draw(chart, canvas); }, panel);
    size.width = std::max(size.width, taken.width);
    size.height += taken.height;
  }
  canvas.set_origin({0, 0});
  for (const std::string& note : figure.notes) paragraph(note, {.size = kSmallFont, .colour = kDarkGrey}, kLine);
  size.height += kMargin;
  return canvas.finish(size);
}

}  // namespace hearsay::charts
