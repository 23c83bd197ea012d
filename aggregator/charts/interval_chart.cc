#include "aggregator/charts/interval_chart.h"

#include <algorithm>
#include <cmath>

#include "aggregator/charts/labels.h"
#include "aggregator/charts/palette.h"

namespace hearsay::charts {
namespace {

std::string numbers_of(const IntervalRow& row) {
  if (!row.value) return "";
  const bool low = std::isfinite(row.normal.low);
  const bool high = std::isfinite(row.normal.high);
  const std::string text = number_text(*row.value) + "  ";
  if (!low && !high) return text + "(unbounded)";
  if (!high) return text + "(" + number_text(row.normal.low) + " or more)";
  if (!low) return text + "(" + number_text(row.normal.high) + " or less)";
  return text + "(" + number_text(row.normal.low) + " to " + number_text(row.normal.high) + ")";
}

Range range_of_rows(const IntervalChart& chart) {
  Range range;
  for (const double limit : chart.limits) range.include(limit);
  for (const IntervalRow& row : chart.rows) {
    if (!row.value) continue;
    range.include(*row.value);
    range.include(row.normal);
    if (row.guaranteed) range.include(*row.guaranteed);
  }
  return range;
}

class IntervalDrawing {
 public:
  IntervalDrawing(const IntervalChart& chart, Canvas& canvas) : chart_(chart), canvas_(canvas) {
    double widest = 0;
    for (const IntervalRow& row : chart.rows) {
      lines_.push_back(wrapped(row.label, kFont, kMostLabel, kMostLines));
      for (const std::string& line : lines_.back()) widest = std::max(widest, text_width(line, kFont));
      numbers_ = std::max(numbers_, text_width(numbers_of(row), kSmallFont));
    }
    left_ = kMargin + widest + kGap;
    title_ = chart.title.empty() ? 8 : kTitleHeight;
    top_ = title_ + (chart.rows.size() > kManyRows ? kAxisHeight : 0);
  }

  Size draw() {
    const Axis axis(range_of_rows(chart_), left_, left_ + kPlot);
    std::vector<double> tops{top_};
    for (const auto& lines : lines_) tops.push_back(tops.back() + kLine * static_cast<double>(lines.size()) + 8);
    const double bottom = std::max(tops.back(), top_ + kLine);
    const double width =
        std::max({left_ + kPlot + kGap + numbers_ + kMargin, kMargin * 2 + text_width(chart_.title, kTitleFont),
                  left_ + kPlot / 2 + text_width(chart_.axis_title, kFont) / 2 + kMargin});
    if (!chart_.title.empty()) canvas_.text({kMargin, 20}, chart_.title, {.size = kFont, .bold = true});
    draw_grid(axis, bottom);
    for (std::size_t i = 0; i < chart_.rows.size(); ++i) draw_row(i, axis, tops[i], tops[i + 1]);
    draw_key(bottom + kAxisHeight + 40);
    return {std::max(width, left_ + kKeyWidth), bottom + kAxisHeight + kFooter};
  }

 private:
  // Pixels.
  static constexpr double kMargin = 12;
  static constexpr double kGap = 14;
  static constexpr double kMostLabel = 340;
  static constexpr std::size_t kMostLines = 3;
  static constexpr double kPlot = 460;
  static constexpr double kLine = 18;
  static constexpr double kTitleHeight = 34;
  static constexpr double kAxisHeight = 24;
  static constexpr double kFooter = 58;
  static constexpr std::size_t kManyRows = 30;  // with more rows, tick labels also stand above the rows

  static constexpr double kKeyWidth = 600;

  void draw_grid(const Axis& axis, double bottom) {
    for (const Tick& tick : axis.ticks(Direction::kAcross)) {
      const double x = axis.at(tick.value);
      canvas_.line({x, top_}, {x, bottom}, {kLightGrey});
      const TextLook look{.size = kSmallFont, .anchor = Anchor::kMiddle, .colour = kDarkGrey};
      canvas_.text({x, bottom + 18}, tick.label, look);
      if (top_ > title_) canvas_.text({x, top_ - 6}, tick.label, look);
    }
    for (const double limit : chart_.limits) {
      canvas_.line({axis.at(limit), top_}, {axis.at(limit), bottom}, {kDarkGrey, 1, "4 3"});
    }
    canvas_.rectangle({left_, top_}, {kPlot, bottom - top_}, {}, {kGrey});
    canvas_.text({left_ + kPlot / 2, bottom + kAxisHeight + 16}, chart_.axis_title, {.anchor = Anchor::kMiddle});
  }

  void draw_row(std::size_t index, const Axis& axis, double top, double bottom) {
    const IntervalRow& row = chart_.rows[index];
    const std::vector<std::string>& lines = lines_[index];
    const double middle = (top + bottom) / 2;
    canvas_.begin_mark("estimate", row.label + ": " + (row.value ? numbers_of(row) : row.note));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double line = static_cast<double>(i) - (static_cast<double>(lines.size()) - 1) / 2;
      canvas_.text({left_ - kGap, middle + 5 + kLine * line}, lines[i], {.anchor = Anchor::kEnd});
    }
    if (row.value) {
      if (row.guaranteed) bar(axis, *row.guaranteed, middle, 1.5);
      bar(axis, row.normal, middle, 5);
      if (std::isfinite(*row.value)) canvas_.circle({axis.at(*row.value), middle}, 3.5, {kWhite}, {kBlue, 2});
      canvas_.text({left_ + kPlot + kGap, middle + 5}, numbers_of(row), {.size = kSmallFont, .colour = kDarkGrey});
    } else {
      const std::string text = fitted("no answer: " + row.note, kSmallFont, kPlot - 12);
      canvas_.rectangle({left_ + 1, middle - kLine / 2}, {kPlot - 2, kLine}, {kWhite});
      canvas_.text({left_ + 6, middle + 5}, text, {.size = kSmallFont, .colour = kDarkGrey});
    }
    canvas_.end_mark();
  }

  void bar(const Axis& axis, const Interval& interval, double y, double width) {
    const bool low = std::isfinite(interval.low);
    const bool high = std::isfinite(interval.high);
    const double from = low ? axis.at(interval.low) : left_;
    const double to = high ? axis.at(interval.high) : left_ + kPlot;
    canvas_.line({from, y}, {to, y}, {kBlue, width});
    if (!low) canvas_.arrow_head({left_, y}, -1, 0, kBlue);
    if (!high) canvas_.arrow_head({left_ + kPlot, y}, 1, 0, kBlue);
  }

  void draw_key(double y) {
    double x = left_;
    const auto entry = [&](double width, const std::string& text) {
      canvas_.line({x, y - 5}, {x + 28, y - 5}, {kBlue, width});
      canvas_.text({x + 34, y}, text, {.size = kSmallFont, .colour = kDarkGrey});
      x += 34 + text_width(text, kSmallFont) + kGap;
    };
    entry(5, "normal interval");
    const bool guaranteed = std::any_of(chart_.rows.begin(), chart_.rows.end(),
                                        [](const IntervalRow& row) { return row.guaranteed.has_value(); });
    if (guaranteed) entry(1.5, "guaranteed interval");
  }

  const IntervalChart& chart_;
  Canvas& canvas_;
  std::vector<std::vector<std::string>> lines_;
  double numbers_ = 0;
  double left_ = 0;
  double title_ = 0;
  double top_ = 0;
};

}  // namespace

Size draw(const IntervalChart& chart, Canvas& canvas) { return IntervalDrawing(chart, canvas).draw(); }

}  // namespace hearsay::charts
