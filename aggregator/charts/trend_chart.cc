#include "aggregator/charts/trend_chart.h"

#include <algorithm>
#include <cmath>

#include "aggregator/charts/labels.h"
#include "aggregator/charts/palette.h"

namespace hearsay::charts {
namespace {

Range range_of_trends(const TrendChart& chart) {
  Range range;
  for (const double limit : chart.limits) range.include(limit);
  for (const Trend& trend : chart.trends) {
    for (const TrendPoint& point : trend.points) {
      range.include(point.value);
      range.include(point.interval);
    }
  }
  return range;
}

class TrendDrawing {
 public:
  TrendDrawing(const TrendChart& chart, Canvas& canvas)
      : chart_(chart), canvas_(canvas), axis_(range_of_trends(chart), kTitleHeight + kPlotHeight, kTitleHeight) {
    for (const Tick& tick : axis_.ticks(Direction::kUp)) {
      left_ = std::max(left_, text_width(tick.label, kSmallFont));
    }
    left_ += kMargin + kAxisTitle + kGap;
    step_ = kPlotWidth / static_cast<double>(std::max<std::size_t>(chart.periods.size(), 1));
  }

  Size draw() {
    canvas_.text({kMargin, 20}, chart_.title, {.size = kFont, .bold = true});
    draw_grid();
    for (std::size_t i = 0; i < chart_.trends.size(); ++i) draw_bands(chart_.trends[i], kPalette[i]);
    for (std::size_t i = 0; i < chart_.trends.size(); ++i) draw_curve(chart_.trends[i], kPalette[i]);
    const double right = draw_names();
    return {std::max(right, kMargin * 2 + text_width(chart_.title, kFont)), kBottom + 40};
  }

 private:
  // Pixels.
  static constexpr double kMargin = 12;
  static constexpr double kGap = 12;
  static constexpr double kTitleHeight = 40;
  static constexpr double kPlotHeight = 280;
  static constexpr double kPlotWidth = 620;
  static constexpr double kMostLabel = 320;
  static constexpr double kLine = 21;
  static constexpr double kLeader = 30;
  static constexpr double kAxisTitle = 26;

  static constexpr double kBottom = kTitleHeight + kPlotHeight;

  double x_of(std::size_t period) const { return left_ + step_ * static_cast<double>(period); }
  double middle_of(std::size_t period) const { return x_of(period) + step_ / 2; }

  void draw_grid() {
    const double right = left_ + kPlotWidth;
    for (const Tick& tick : axis_.ticks(Direction::kUp)) {
      const double y = axis_.at(tick.value);
      canvas_.line({left_, y}, {right, y}, {kLightGrey});
      canvas_.text({left_ - 8, y + 5}, tick.label, {.size = kSmallFont, .anchor = Anchor::kEnd, .colour = kDarkGrey});
    }
    double widest = 0;
    for (const std::string& label : chart_.periods) widest = std::max(widest, text_width(label, kSmallFont));
    const auto every = static_cast<std::size_t>(std::max(std::ceil((widest + kGap) / step_), 1.0));
    for (std::size_t i = 0; i < chart_.periods.size(); i += every) {
      canvas_.line({x_of(i), kTitleHeight}, {x_of(i), kBottom + 5}, {kGrey});
      canvas_.text({x_of(i), kBottom + 20}, chart_.periods[i], {.size = kSmallFont, .colour = kDarkGrey});
    }
    for (const double limit : chart_.limits) {
      canvas_.line({left_, axis_.at(limit)}, {right, axis_.at(limit)}, {kDarkGrey, 1, "4 3"});
    }
    canvas_.rectangle({left_, kTitleHeight}, {kPlotWidth, kPlotHeight}, {}, {kGrey});
    canvas_.text({kMargin + 14, kTitleHeight + kPlotHeight / 2}, fitted(chart_.axis_title, kFont, kPlotHeight),
                 {.anchor = Anchor::kMiddle, .upright = true});
  }

  void draw_bands(const Trend& trend, const char* colour) {
    for (const TrendPoint& point : trend.points) {
      const bool low = std::isfinite(point.interval.low);
      const bool high = std::isfinite(point.interval.high);
      const double top = high ? axis_.at(point.interval.high) : kTitleHeight;
      const double bottom = low ? axis_.at(point.interval.low) : kBottom;
      canvas_.begin_mark("period", trend.name + ", " + chart_.periods[point.period] + ": " + number_text(point.value) +
                                       "  (" + (low ? number_text(point.interval.low) : "unbounded") + " to " +
                                       (high ? number_text(point.interval.high) : "unbounded") + ")");
      canvas_.rectangle({x_of(point.period), top}, {step_, bottom - top}, {colour, 0.2});
      if (!high) canvas_.arrow_head({middle_of(point.period), top}, 0, -1, colour);
      if (!low) canvas_.arrow_head({middle_of(point.period), bottom}, 0, 1, colour);
      if (std::isfinite(point.value)) {
        const double radius = std::clamp(step_ / 3, 1.0, 4.0);
        canvas_.circle({middle_of(point.period), axis_.at(point.value)}, radius, {colour});
      }
      canvas_.end_mark();
    }
  }

  // A period without an answer interrupts the curve.
  void draw_curve(const Trend& trend, const char* colour) {
    std::vector<Point> run;
    for (std::size_t i = 0; i < trend.points.size(); ++i) {
      const TrendPoint& point = trend.points[i];
      const bool follows = i > 0 && trend.points[i - 1].period + 1 == point.period;
      if (!follows || !std::isfinite(point.value)) end_run(run, colour);
      if (std::isfinite(point.value)) run.push_back({middle_of(point.period), axis_.at(point.value)});
    }
    end_run(run, colour);
  }

  void end_run(std::vector<Point>& run, const char* colour) {
    if (run.size() > 1) canvas_.polyline(run, {colour, 2});
    run.clear();
  }

  // Draws the trends' names. Returns the x at which the longest name ends.
  double draw_names() {
    std::vector<double> ends;
    for (const Trend& trend : chart_.trends) {
      const bool known = !trend.points.empty() && std::isfinite(trend.points.back().value);
      ends.push_back(known ? axis_.at(trend.points.back().value) : kBottom);
    }
    const std::vector<double> heights = spread(ends, kLine, kTitleHeight + kLine / 2, kBottom - kLine / 2);
    const double start = left_ + kPlotWidth;
    double right = start + kMargin;
    for (std::size_t i = 0; i < chart_.trends.size(); ++i) {
      const std::string name = fitted(chart_.trends[i].name, kFont, kMostLabel);
      if (!chart_.trends[i].points.empty()) {
        const double from = middle_of(chart_.trends[i].points.back().period) + 5;
        canvas_.line({from, ends[i]}, {start + kLeader, heights[i]}, {kPalette[i], 0.8});
      }
      canvas_.line({start + kLeader, heights[i]}, {start + kLeader + 20, heights[i]}, {kPalette[i], 3});
      canvas_.text({start + kLeader + 26, heights[i] + 5}, name, {});
      right = std::max(right, start + kLeader + 26 + text_width(name, kFont) + kMargin);
    }
    return right;
  }

  const TrendChart& chart_;
  Canvas& canvas_;
  Axis axis_;
  double left_ = 0;
  double step_ = 0;
};

}  // namespace

Size draw(const TrendChart& chart, Canvas& canvas) { return TrendDrawing(chart, canvas).draw(); }

}  // namespace hearsay::charts
