// Draws lines, shapes and text into an SVG document.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay::charts {

// A position in pixels, from the left and from the top.
struct Point {
  double x;
  double y;
};
struct Size {
  double width;
  double height;
};

inline constexpr int kTitleFont = 18;
inline constexpr int kFont = 14;
inline constexpr int kSmallFont = 13;  // pixels; no chart has smaller text

inline constexpr const char* kBlack = "#000000";
inline constexpr const char* kDarkGrey = "#333333";
inline constexpr const char* kGrey = "#bbbbbb";
inline constexpr const char* kLightGrey = "#eeeeee";
inline constexpr const char* kWhite = "#ffffff";

enum class Anchor : std::uint8_t { kStart, kMiddle, kEnd };

struct TextLook {
  int size = kFont;
  Anchor anchor = Anchor::kStart;
  const char* colour = kBlack;
  bool bold = false;
  bool upright = false;  // true: the text runs from bottom to top
};

struct Stroke {
  const char* colour = kBlack;
  double width = 1;
  const char* dashes = "";  // SVG's stroke-dasharray; empty: a solid line
};

struct Fill {
  std::string colour = "none";
  double opacity = 1;
};

class Canvas {
 public:
  Canvas();
  ~Canvas();

  // Adds `origin` to all positions of the calls below.
  void set_origin(Point origin) { origin_ = origin; }

  // Draws text with its base line at `at`. Line breaks, and characters that XML does not allow, become spaces.
  void text(Point at, std::string_view content, const TextLook& look = {});
  void line(Point from, Point to, const Stroke& stroke);
  void polyline(const std::vector<Point>& points, const Stroke& stroke);
  void rectangle(Point corner, Size size, const Fill& fill, const Stroke& stroke = {"none"});
  void circle(Point centre, double radius, const Fill& fill, const Stroke& stroke = {"none"});
  // Draws a triangle with its tip at `tip`, pointing along the unit vector (dx, dy).
  void arrow_head(Point tip, double dx, double dy, const char* colour);

  // All shapes and texts drawn between begin_mark() and end_mark() are one mark, such as a row or a cell. `kind` is the
  // class of the mark's `<g>` element. A reader who points at the mark sees `hint`.
  void begin_mark(const char* kind, std::string_view hint);
  void end_mark();

  // Returns the SVG document. `size` is its size in pixels.
  std::string finish(Size size);

 private:
  struct Document;
  std::unique_ptr<Document> document_;
  Point origin_{0, 0};
};

}  // namespace hearsay::charts
