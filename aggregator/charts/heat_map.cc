#include "aggregator/charts/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "aggregator/charts/axis.h"
#include "aggregator/charts/labels.h"
#include "aggregator/charts/palette.h"

namespace hearsay::charts {
namespace {

struct Colour {
  double red;
  double green;
  double blue;
};
constexpr Colour kHigh{0x00, 0x72, 0xB2};
constexpr Colour kLow{0xD5, 0x5E, 0x00};

// Returns a colour between white (share 0) and `end` (share 1).
Colour mixed(const Colour& end, double share) {
  const auto channel = [share](double value) { return 255 + (value - 255) * share; };
  return {channel(end.red), channel(end.green), channel(end.blue)};
}

std::string hex(const Colour& colour) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "#%02X%02X%02X", static_cast<unsigned>(std::lround(colour.red)),
                static_cast<unsigned>(std::lround(colour.green)), static_cast<unsigned>(std::lround(colour.blue)));
  return text.data();
}

const char* text_colour(const Colour& ground) {
  const double light = 0.299 * ground.red + 0.587 * ground.green + 0.114 * ground.blue;
  return light < 140 ? kWhite : kBlack;
}

class HeatDrawing {
 public:
  HeatDrawing(const HeatMap& map, Canvas& canvas)
      : map_(map),
        canvas_(canvas),
        cell_{side_of(map.columns.size(), kCellWidth), side_of(map.rows.size(), kCellHeight)},
        shows_values_(map.columns.size() <= kMostWide && map.rows.size() <= kMostWide) {
    for (const double value : map.values) {
      if (std::isfinite(value)) largest_ = std::max(largest_, std::abs(value));
      if (std::isfinite(value)) lowest_ = std::min(lowest_, value);
    }
    double widest = 0;
    for (const std::string& label : map.columns) widest = std::max(widest, text_width(label, kSmallFont));
    upright_ = widest + 8 > cell_.width;
    top_ = kTitleHeight + 2 * kLine + (upright_ ? std::min(widest, kMostLabel) : kLine);
    widest = text_width(map.row_title, kSmallFont);
    for (const std::string& label : map.rows) widest = std::max(widest, text_width(label, kSmallFont));
    left_ = kMargin + std::min(widest, kMostLabel) + kGap;
  }

  Size draw() {
    const double width = cell_.width * static_cast<double>(map_.columns.size());
    const double height = cell_.height * static_cast<double>(map_.rows.size());
    canvas_.text({kMargin, 20}, map_.title, {.size = kFont, .bold = true});
    draw_labels(width);
    for (std::size_t row = 0; row < map_.rows.size(); ++row) {
      for (std::size_t column = 0; column < map_.columns.size(); ++column) draw_cell(row, column);
    }
    const double scale = left_ + width + 2 * kGap;
    const double right = draw_scale(scale);
    return {std::max(right, kMargin * 2 + text_width(map_.title, kFont)),
            top_ + std::max(height, kScaleHeight + kLine) + kMargin};
  }

 private:
  // Pixels.
  static constexpr double kMargin = 12;
  static constexpr double kGap = 10;
  static constexpr double kTitleHeight = 34;
  static constexpr double kMostLabel = 240;
  static constexpr double kLine = 18;
  static constexpr double kCellWidth = 76;
  static constexpr double kCellHeight = 40;
  static constexpr double kNarrow = 14;
  static constexpr std::size_t kMostWide = 16;  // with more columns or rows, cells do not show their values
  static constexpr double kMostSide = 1200;
  static constexpr double kScaleWidth = 18;
  static constexpr double kScaleHeight = 160;

  static double side_of(std::size_t count, double wide) {
    if (count <= kMostWide) return wide;
    return std::max(std::min(kNarrow, kMostSide / static_cast<double>(count)), 1.0);
  }

  // Returns the least n such that there is room for every n-th label.
  static std::size_t stride_of(double side) { return static_cast<std::size_t>(std::ceil(kLine / side)); }

  double x_of(std::size_t column) const { return left_ + cell_.width * static_cast<double>(column); }
  double y_of(std::size_t row) const { return top_ + cell_.height * static_cast<double>(row); }

  void draw_labels(double width) {
    const std::string columns = fitted(map_.column_title, kSmallFont, std::max(width, kMostLabel));
    canvas_.text({left_, kTitleHeight + 12}, columns, {.size = kSmallFont, .colour = kDarkGrey, .bold = true});
    canvas_.text({left_ - kGap, top_ - 8}, fitted(map_.row_title, kSmallFont, kMostLabel),
                 {.size = kSmallFont, .anchor = Anchor::kEnd, .colour = kDarkGrey, .bold = true});
    const std::size_t step = upright_ ? stride_of(cell_.width) : 1;
    for (std::size_t column = 0; column < map_.columns.size(); column += step) {
      const double middle = x_of(column) + cell_.width / 2;
      const std::string label = fitted(map_.columns[column], kSmallFont, kMostLabel);
      TextLook look{.size = kSmallFont, .anchor = Anchor::kMiddle};
      if (upright_) look = {.size = kSmallFont, .anchor = Anchor::kStart, .upright = true};
      canvas_.text({upright_ ? middle + 5 : middle, top_ - 8}, label, look);
    }
    for (std::size_t row = 0; row < map_.rows.size(); row += stride_of(cell_.height)) {
      canvas_.text({left_ - kGap, y_of(row) + cell_.height / 2 + 5}, fitted(map_.rows[row], kSmallFont, kMostLabel),
                   {.size = kSmallFont, .anchor = Anchor::kEnd});
    }
  }

  Colour colour_of(double value) const {
    if (largest_ == 0) return mixed(kHigh, 0);
    return mixed(value < 0 ? kLow : kHigh, std::abs(value) / largest_);
  }

  void draw_cell(std::size_t row, std::size_t column) {
    const std::size_t index = row * map_.columns.size() + column;
    const double value = map_.values[index];
    const bool known = std::isfinite(value);
    const std::string text = known ? number_text(value) : "-";
    const std::string margin = map_.margins.empty() ? "" : "±" + number_text_short(map_.margins[index]);
    canvas_.begin_mark("cell", map_.rows[row] + ", " + map_.columns[column] + ": " + text + " " + margin);
    const Colour colour = known ? colour_of(value) : Colour{0xdd, 0xdd, 0xdd};
    canvas_.rectangle({x_of(column), y_of(row)}, cell_, {hex(colour)}, shows_values_ ? Stroke{kWhite} : Stroke{"none"});
    if (shows_values_) {
      const double middle = x_of(column) + cell_.width / 2;
      const TextLook look{.size = kSmallFont, .anchor = Anchor::kMiddle, .colour = text_colour(colour)};
      const double y = y_of(row) + cell_.height / 2;
      canvas_.text({middle, margin.empty() ? y + 5 : y - 3}, text, look);
      if (!margin.empty()) canvas_.text({middle, y + 14}, margin, look);
    }
    canvas_.end_mark();
  }

  static std::string number_text_short(double value) {
    std::array<char, 32> text{};
    return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.2g", value))};
  }

  // Draws the colour scale from x to the right. Returns the x at which the scale ends.
  double draw_scale(double x) {
    constexpr int kSteps = 40;
    if (largest_ == 0) return x;
    const double low = std::min(lowest_, 0.0);
    for (int i = 0; i < kSteps; ++i) {
      const double value = largest_ + (low - largest_) * (i + 0.5) / kSteps;
      canvas_.rectangle({x, top_ + i * kScaleHeight / kSteps}, {kScaleWidth, kScaleHeight / kSteps + 0.5},
                        {hex(colour_of(value))});
    }
    canvas_.rectangle({x, top_}, {kScaleWidth, kScaleHeight}, {}, {kGrey});
    double right = x + kScaleWidth;
    Range range;
    range.include(low);
    range.include(largest_);
    const Axis axis(range, top_ + kScaleHeight, top_);
    for (const Tick& tick : axis.ticks(Direction::kUp)) {
      if (tick.value < low || tick.value > largest_) continue;
      const double y = top_ + kScaleHeight * (largest_ - tick.value) / (largest_ - low);
      canvas_.text({x + kScaleWidth + 6, y + 5}, tick.label, {.size = kSmallFont, .colour = kDarkGrey});
      right = std::max(right, x + kScaleWidth + 6 + text_width(tick.label, kSmallFont));
    }
    return right + kMargin;
  }

  const HeatMap& map_;
  Canvas& canvas_;
  Size cell_;
  bool shows_values_;
  bool upright_ = false;
  double left_ = 0;
  double top_ = 0;
  double largest_ = 0;
  double lowest_ = 0;
};

}  // namespace

Size draw(const HeatMap& map, Canvas& canvas) { return HeatDrawing(map, canvas).draw(); }

}  // namespace hearsay::charts
