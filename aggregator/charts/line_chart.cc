#include "aggregator/charts/line_chart.h"

#include <algorithm>
#include <cmath>

#include "aggregator/charts/canvas.h"
#include "aggregator/charts/labels.h"
#include "aggregator/charts/palette.h"

namespace hearsay::charts {
namespace {

std::string tick_label(int step, int decade) {
  if (decade >= 0) {
    std::string digits = std::to_string(step) + std::string(static_cast<std::size_t>(decade), '0');
    for (auto i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<std::size_t>(i), ",");
    return digits;
  }
  return "0." + std::string(static_cast<std::size_t>(-decade - 1), '0') + std::to_string(step);
}

// A logarithmic axis from pixel `start` to pixel `end`.
class LogAxis {
 public:
  LogAxis(double low, double high, double start, double end)
      : low_(std::log10(low)), high_(std::log10(high)), start_(start), end_(end) {}
  double at(double value) const { return start_ + (std::log10(value) - low_) / (high_ - low_) * (end_ - start_); }
  bool holds(double value) const {
    return std::log10(value) > low_ - kRounding && std::log10(value) < high_ + kRounding;
  }
  int first_decade() const { return static_cast<int>(std::floor(low_ + kRounding)); }
  int last_decade() const { return static_cast<int>(std::floor(high_ + kRounding)); }
  // Returns true if ticks at step·10^k have labels. If fewer than two powers of ten are on the axis, ticks at 2 and 5
  // have labels, too.
  bool labels(int step) const {
    const bool few = std::floor(high_ + kRounding) < std::ceil(low_ - kRounding) + 1;
    return step == 1 || (few && (step == 2 || step == 5));
  }

 private:
  static constexpr double kRounding = 1e-9;
  double low_;
  double high_;
  double start_;
  double end_;
};

struct Ends {
  double low = 1;
  double high = 10;
};

// Returns the smallest and the largest `member` of all points, with a margin. The two differ at least by the factor 10.
Ends ends_of(const std::vector<const Series*>& series, double Series::Point::*member) {
  double low = INFINITY;
  double high = 0;
  for (const Series* one : series) {
    for (const Series::Point& point : one->points) {
      low = std::min(low, point.*member);
      high = std::max(high, point.*member);
    }
  }
  if (high == 0) return {};
  constexpr double kMargin = 1.15;
  low /= kMargin;
  high *= kMargin;
  if (high < 10 * low) high = 10 * low;
  return {low, high};
}

class LineDrawing {
 public:
  explicit LineDrawing(const LineChart& chart) : chart_(chart) {
    for (const Series& series : chart.series) {
      if (!series.points.empty()) series_.push_back(&series);
    }
    height_ = std::max(kLeastPlotHeight, kLabelStep * static_cast<double>(series_.size()));
    width_ = kLeft + kPlotWidth + kLabelGap + 8;
    for (const Series* series : series_) {
      width_ = std::max(width_, kLeft + kPlotWidth + kLabelGap + text_width(series->name, kFont) + 8);
    }
    width_ = std::max(
        {width_, kLeft + text_width(chart.title, kTitleFont) + 8, kLeft + text_width(chart.subtitle, kFont) + 8});
  }

  std::string svg() {
    const Ends x = ends_of(series_, &Series::Point::x);
    const Ends y = ends_of(series_, &Series::Point::y);
    const LogAxis across(x.low, x.high, kLeft, kLeft + kPlotWidth);
    const LogAxis up(y.low, y.high, kTop + height_, kTop);
    canvas_.text({kLeft, 28}, chart_.title, {.size = kTitleFont, .bold = true});
    canvas_.text({kLeft, 52}, chart_.subtitle, {.colour = kDarkGrey});
    draw_grid(across, up);
    for (std::size_t i = 0; i < series_.size(); ++i) draw_curve(i, across, up);
    draw_labels(across, up);
    return canvas_.finish({width_, kTop + height_ + kBottom});
  }

 private:
  // Pixels.
  static constexpr double kLeft = 92;
  static constexpr double kTop = 76;
  static constexpr double kPlotWidth = 640;
  static constexpr double kBottom = 70;
  static constexpr double kLeader = 34;
  static constexpr double kSample = 36;
  static constexpr double kLabelGap = kLeader + kSample + 8;
  static constexpr double kLabelStep = 21;
  static constexpr double kLeastPlotHeight = 480;

  void draw_grid(const LogAxis& across, const LogAxis& up) {
    const double bottom = kTop + height_;
    const double right = kLeft + kPlotWidth;
    const TextLook below{.size = kSmallFont, .anchor = Anchor::kMiddle, .colour = kDarkGrey};
    const TextLook beside{.size = kSmallFont, .anchor = Anchor::kEnd, .colour = kDarkGrey};
    for_each_tick(across, [&](double x, bool is_decade, const std::string& label) {
      canvas_.line({x, kTop}, {x, bottom}, {is_decade ? kGrey : kLightGrey});
      if (!label.empty()) canvas_.text({x, bottom + 22}, label, below);
    });
    for_each_tick(up, [&](double y, bool is_decade, const std::string& label) {
      canvas_.line({kLeft, y}, {right, y}, {is_decade ? kGrey : kLightGrey});
      if (!label.empty()) canvas_.text({kLeft - 10, y + 5}, label, beside);
    });
    canvas_.rectangle({kLeft, kTop}, {kPlotWidth, height_}, {}, {kDarkGrey});
    canvas_.text({kLeft + kPlotWidth / 2, bottom + 52}, chart_.x_title, {.anchor = Anchor::kMiddle});
    canvas_.text({24, kTop + height_ / 2}, chart_.y_title, {.anchor = Anchor::kMiddle, .upright = true});
  }

  // Calls tick(pixel, is_power_of_ten, label) for each tick. The label may be empty.
  template <class Tick>
  static void for_each_tick(const LogAxis& axis, const Tick& tick) {
    for (int decade = axis.first_decade(); decade <= axis.last_decade(); ++decade) {
      for (int step = 1; step <= 9; ++step) {
        const double value = step * std::pow(10.0, decade);
        if (axis.holds(value)) tick(axis.at(value), step == 1, axis.labels(step) ? tick_label(step, decade) : "");
      }
    }
  }

  // Returns how many curves of the same style come before this curve. The palette starts anew for every style.
  std::size_t before(std::size_t index) const {
    return static_cast<std::size_t>(
        std::count_if(series_.begin(), series_.begin() + static_cast<std::ptrdiff_t>(index),
                      [&](const Series* other) { return other->style == series_[index]->style; }));
  }
  const char* colour(std::size_t index) const { return kPalette[before(index) % kPalette.size()]; }
  double width(std::size_t index) const { return before(index) < kPalette.size() ? 2 : 1; }

  void draw_curve(std::size_t index, const LogAxis& across, const LogAxis& up) {
    std::vector<Point> pixels;
    for (const Series::Point& point : series_[index]->points) pixels.push_back({across.at(point.x), up.at(point.y)});
    canvas_.begin_mark("series", series_[index]->name);
    polyline(index, pixels);
    for (const Point& pixel : pixels) marker(index, pixel);
    canvas_.end_mark();
  }

  void polyline(std::size_t index, const std::vector<Point>& pixels) {
    const LineStyle style = series_[index]->style;
    const char* dashes = style == LineStyle::kSolid ? "" : style == LineStyle::kDashed ? "8 5" : "2 4";
    canvas_.polyline(pixels, {colour(index), width(index), dashes});
  }

  void marker(std::size_t index, const Point& pixel) {
    const LineStyle style = series_[index]->style;
    const Fill fill{style == LineStyle::kSolid ? colour(index) : kWhite};
    const Stroke stroke{colour(index), 1.5};
    if (style == LineStyle::kDashed) {
      canvas_.rectangle({pixel.x - 3.5, pixel.y - 3.5}, {7, 7}, fill, stroke);
    } else {
      canvas_.circle(pixel, 3.5, fill, stroke);
    }
  }

  // For each curve, draws a thin line from the curve's end to a sample of the curve, and then the curve's name.
  void draw_labels(const LogAxis& across, const LogAxis& up) {
    std::vector<double> ends;
    for (const Series* series : series_) ends.push_back(up.at(series->points.back().y));
    const std::vector<double> heights =
        spread(ends, kLabelStep, kTop + kLabelStep / 2, kTop + height_ - kLabelStep / 2);
    const double sample = kLeft + kPlotWidth + kLeader;
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const double x = across.at(series_[i]->points.back().x);
      canvas_.line({x + 5, ends[i]}, {sample - 3, heights[i]}, {colour(i), 0.8});
      polyline(i, {{sample, heights[i]}, {sample + kSample, heights[i]}});
      marker(i, {sample + kSample / 2, heights[i]});
      canvas_.text({kLeft + kPlotWidth + kLabelGap, heights[i] + 5}, series_[i]->name);
    }
  }

  const LineChart& chart_;
  Canvas canvas_;
  std::vector<const Series*> series_;
  double width_ = 0;
  double height_ = 0;
};

}  // namespace

std::string to_svg(const LineChart& chart) { return LineDrawing(chart).svg(); }

}  // namespace hearsay::charts
