#include "examples/comparison/svg_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace hearsay::examples {
namespace {

// Pixels.
constexpr double kLeft = 92;
constexpr double kTop = 76;
constexpr double kPlotWidth = 640;
constexpr double kBottom = 70;
constexpr double kLeader = 34;
constexpr double kSample = 36;  // of a curve beside its name
constexpr double kLabelGap = kLeader + kSample + 8;
constexpr double kLabelStep = 21;
constexpr double kLeastPlotHeight = 480;
constexpr int kFont = 14;
constexpr int kTitleFont = 18;
constexpr int kTickFont = 13;
constexpr double kWidestGlyph = 0.66;  // of the font size, on average over a text, in common sans-serif fonts

// Okabe and Ito's palette without its yellow, which is too light for lines on white.
constexpr std::array<const char*, 7> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                              "#E69F00", "#56B4E9", "#000000"};

std::string number(double value) {
  std::array<char, 32> text{};
  return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.1f", value))};
}

std::string escape(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// Continuation bytes of UTF-8 are no glyphs.
double text_width(const std::string& text, int font) {
  const auto glyphs =
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  return static_cast<double>(glyphs) * font * kWidestGlyph;
}

// Of step·10^decade.
std::string tick_label(int step, int decade) {
  if (decade >= 0) {
    std::string digits = std::to_string(step) + std::string(static_cast<std::size_t>(decade), '0');
    for (auto i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<std::size_t>(i), ",");
    return digits;
  }
  return "0." + std::string(static_cast<std::size_t>(-decade - 1), '0') + std::to_string(step);
}

// A logarithmic axis from pixel `start` to pixel `end`.
class Axis {
 public:
  Axis(double low, double high, double start, double end)
      : low_(std::log10(low)), high_(std::log10(high)), start_(start), end_(end) {}
  double at(double value) const { return start_ + (std::log10(value) - low_) / (high_ - low_) * (end_ - start_); }
  bool holds(double value) const {
    return std::log10(value) > low_ - kRounding && std::log10(value) < high_ + kRounding;
  }
  int first_decade() const { return static_cast<int>(std::floor(low_ + kRounding)); }
  int last_decade() const { return static_cast<int>(std::floor(high_ + kRounding)); }
  // An axis with fewer than two powers of ten needs more labels to be read.
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

struct Range {
  double low = 1;
  double high = 10;
};

// From the data's smallest to largest value with a margin, and at least one decade.
Range range_of(const std::vector<const Series*>& series, double Series::Point::*member) {
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

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart) {
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
    const Range x = range_of(series_, &Series::Point::x);
    const Range y = range_of(series_, &Series::Point::y);
    const Axis across(x.low, x.high, kLeft, kLeft + kPlotWidth);
    const Axis up(y.low, y.high, kTop + height_, kTop);
    const double total = kTop + height_ + kBottom;
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width_) + " " + number(total) +
           "\" width=\"" + number(width_) + "\" height=\"" + number(total) +
           "\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n<rect width=\"100%\" height=\"100%\" "
           "fill=\"#ffffff\"/>\n";
    text(kLeft, 28, chart_.title, kTitleFont, "start", "#000000", " font-weight=\"bold\"");
    text(kLeft, 52, chart_.subtitle, kFont, "start", "#333333");
    draw_grid(across, up);
    for (std::size_t i = 0; i < series_.size(); ++i) draw_curve(i, across, up);
    draw_labels(across, up);
    return out_ + "</svg>\n";
  }

 private:
  void text(double x, double y, const std::string& content, int font, const char* anchor, const char* colour,
            const std::string& more = "") {
    out_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" font-size=\"" + std::to_string(font) +
            "\" text-anchor=\"" + anchor + "\" fill=\"" + colour + "\"" + more + ">" + escape(content) + "</text>\n";
  }

  void line(double x1, double y1, double x2, double y2, const char* colour, double width) {
    out_ += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
            "\" stroke=\"" + colour + "\" stroke-width=\"" + number(width) + "\"/>\n";
  }

  void draw_grid(const Axis& across, const Axis& up) {
    const double bottom = kTop + height_;
    const double right = kLeft + kPlotWidth;
    for (int decade = across.first_decade(); decade <= across.last_decade(); ++decade) {
      for (int step = 1; step <= 9; ++step) {
        const double value = step * std::pow(10.0, decade);
        if (!across.holds(value)) continue;
        line(across.at(value), kTop, across.at(value), bottom, step == 1 ? "#bbbbbb" : "#eeeeee", 1);
        if (across.labels(step))
          text(across.at(value), bottom + 22, tick_label(step, decade), kTickFont, "middle", "#333333");
      }
    }
    for (int decade = up.first_decade(); decade <= up.last_decade(); ++decade) {
      for (int step = 1; step <= 9; ++step) {
        const double value = step * std::pow(10.0, decade);
        if (!up.holds(value)) continue;
        line(kLeft, up.at(value), right, up.at(value), step == 1 ? "#bbbbbb" : "#eeeeee", 1);
        if (up.labels(step)) text(kLeft - 10, up.at(value) + 5, tick_label(step, decade), kTickFont, "end", "#333333");
      }
    }
    out_ += "<rect x=\"" + number(kLeft) + "\" y=\"" + number(kTop) + "\" width=\"" + number(kPlotWidth) +
            "\" height=\"" + number(height_) + "\" fill=\"none\" stroke=\"#333333\"/>\n";
    text(kLeft + kPlotWidth / 2, bottom + 52, chart_.x_title, kFont, "middle", "#000000");
    const std::string turn = " transform=\"rotate(-90 24 " + number(kTop + height_ / 2) + ")\"";
    text(24, kTop + height_ / 2, chart_.y_title, kFont, "middle", "#000000", turn);
  }

  // How many curves of the same style come before it. The palette runs anew for every style.
  std::size_t before(std::size_t index) const {
    return static_cast<std::size_t>(
        std::count_if(series_.begin(), series_.begin() + static_cast<std::ptrdiff_t>(index),
                      [&](const Series* other) { return other->style == series_[index]->style; }));
  }
  const char* colour(std::size_t index) const { return kColours[before(index) % kColours.size()]; }
  const char* width(std::size_t index) const { return before(index) < kColours.size() ? "2" : "1"; }

  void draw_curve(std::size_t index, const Axis& across, const Axis& up) {
    std::vector<Series::Point> pixels;
    for (const Series::Point& point : series_[index]->points) pixels.push_back({across.at(point.x), up.at(point.y)});
    polyline(index, pixels);
    for (const Series::Point& pixel : pixels) marker(index, pixel);
  }

  void polyline(std::size_t index, const std::vector<Series::Point>& pixels) {
    const LineStyle style = series_[index]->style;
    const char* dash = style == LineStyle::kSolid    ? ""
                       : style == LineStyle::kDashed ? " stroke-dasharray=\"8 5\""
                                                     : " stroke-dasharray=\"2 4\"";
    out_ += std::string("<polyline fill=\"none\" stroke=\"") + colour(index) + "\" stroke-width=\"" + width(index) +
            "\"" + dash + " points=\"";
    for (const Series::Point& pixel : pixels) out_ += number(pixel.x) + "," + number(pixel.y) + " ";
    out_ += "\"/>\n";
  }

  // Discs on solid lines, squares on dashed and circles on dotted ones.
  void marker(std::size_t index, const Series::Point& pixel) {
    const LineStyle style = series_[index]->style;
    const std::string fill = style == LineStyle::kSolid ? colour(index) : "#ffffff";
    if (style == LineStyle::kDashed) {
      out_ += "<rect x=\"" + number(pixel.x - 3.5) + "\" y=\"" + number(pixel.y - 3.5) + "\" width=\"7\" height=\"7\"";
    } else {
      out_ += "<circle cx=\"" + number(pixel.x) + "\" cy=\"" + number(pixel.y) + "\" r=\"3.5\"";
    }
    out_ += " fill=\"" + fill + "\" stroke=\"" + colour(index) + "\" stroke-width=\"1.5\"/>\n";
  }

  // Heights of the names: as near to their curves' ends as a distance of kLabelStep allows, within the plot.
  std::vector<double> label_heights(const Axis& up) const {
    std::vector<std::size_t> order(series_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = [&](std::size_t i) { return up.at(series_[i]->points.back().y); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return end(a) < end(b); });
    // Clusters of names that touch are centred on the mean of their curves' ends, which is their least-squares place.
    struct Cluster {
      double sum;
      double size;
      double first() const { return sum / size - (size - 1) / 2 * kLabelStep; }
    };
    std::vector<Cluster> clusters;
    for (const std::size_t i : order) {
      clusters.push_back({end(i), 1});
      while (clusters.size() > 1) {
        Cluster& above = clusters[clusters.size() - 2];
        if (above.first() + above.size * kLabelStep <= clusters.back().first()) break;
        above.sum += clusters.back().sum;
        above.size += clusters.back().size;
        clusters.pop_back();
      }
    }
    std::vector<double> sorted;
    for (const Cluster& cluster : clusters) {
      for (int k = 0; k < static_cast<int>(cluster.size); ++k) sorted.push_back(cluster.first() + k * kLabelStep);
    }
    // Into the plot, from the bottom up and then from the top down.
    double limit = kTop + height_ - kLabelStep / 2;
    for (std::size_t k = sorted.size(); k-- > 0; limit = sorted[k] - kLabelStep) sorted[k] = std::min(sorted[k], limit);
    limit = kTop + kLabelStep / 2;
    for (std::size_t k = 0; k < sorted.size(); limit = sorted[k] + kLabelStep, ++k) {
      sorted[k] = std::max(sorted[k], limit);
    }
    std::vector<double> heights(series_.size());
    for (std::size_t k = 0; k < order.size(); ++k) heights[order[k]] = sorted[k];
    return heights;
  }

  // A thin line from the curve's end to a sample of it, then the name.
  void draw_labels(const Axis& across, const Axis& up) {
    const std::vector<double> heights = label_heights(up);
    const double sample = kLeft + kPlotWidth + kLeader;
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const Series::Point& last = series_[i]->points.back();
      line(across.at(last.x) + 5, up.at(last.y), sample - 3, heights[i], colour(i), 0.8);
      polyline(i, {{sample, heights[i]}, {sample + kSample, heights[i]}});
      marker(i, {sample + kSample / 2, heights[i]});
      text(kLeft + kPlotWidth + kLabelGap, heights[i] + 5, series_[i]->name, kFont, "start", "#000000");
    }
  }

  const Chart& chart_;
  std::vector<const Series*> series_;
  double width_ = 0;
  double height_ = 0;
  std::string out_;
};

}  // namespace

std::string to_svg(const Chart& chart) { return Drawing(chart).svg(); }

}  // namespace hearsay::examples
