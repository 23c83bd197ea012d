#include "aggregator/charts/canvas.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <pugixml.hpp>
#include <sstream>

namespace hearsay::charts {
namespace {

std::string number(double value) {
  std::array<char, 352> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.2f", value);
  std::string digits(text.data(), static_cast<std::size_t>(length));
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
}
void set(pugi::xml_node node, const char* name, double value) { set(node, name, number(value)); }

void set(pugi::xml_node node, const Stroke& stroke) {
  set(node, "stroke", stroke.colour);
  if (stroke.colour == std::string_view("none")) return;
  set(node, "stroke-width", stroke.width);
  if (*stroke.dashes != '\0') set(node, "stroke-dasharray", stroke.dashes);
}

void set(pugi::xml_node node, const Fill& fill) {
  set(node, "fill", fill.colour);
  if (fill.opacity < 1) set(node, "fill-opacity", fill.opacity);
}

// Replaces control characters, U+FFFE and U+FFFF by spaces. XML 1.0 does not allow most of these characters.
std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  for (const char* none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t at = result.find(none); at != std::string::npos; at = result.find(none))
      result.replace(at, 3, " ");
  }
  return result;
}

const char* name_of(Anchor anchor) {
  return anchor == Anchor::kStart ? "start" : anchor == Anchor::kMiddle ? "middle" : "end";
}

}  // namespace

struct Canvas::Document {
  pugi::xml_document document;
  pugi::xml_node svg;
  pugi::xml_node parent;
};

Canvas::Canvas() : document_(std::make_unique<Document>()) {
  document_->svg = document_->document.append_child("svg");
  set(document_->svg, "xmlns", "http://www.w3.org/2000/svg");
  document_->parent = document_->svg;
}

Canvas::~Canvas() = default;

void Canvas::text(Point at, std::string_view content, const TextLook& look) {
  pugi::xml_node node = document_->parent.append_child("text");
  const double x = origin_.x + at.x;
  const double y = origin_.y + at.y;
  set(node, "x", x);
  set(node, "y", y);
  set(node, "font-size", look.size);
  set(node, "text-anchor", name_of(look.anchor));
  set(node, "fill", look.colour);
  if (look.bold) set(node, "font-weight", "bold");
  if (look.upright) set(node, "transform", "rotate(-90 " + number(x) + " " + number(y) + ")");
  node.append_child(pugi::node_pcdata).set_value(printable(content).c_str());
}

void Canvas::line(Point from, Point to, const Stroke& stroke) {
  pugi::xml_node node = document_->parent.append_child("line");
  set(node, "x1", origin_.x + from.x);
  set(node, "y1", origin_.y + from.y);
  set(node, "x2", origin_.x + to.x);
  set(node, "y2", origin_.y + to.y);
  set(node, stroke);
}

void Canvas::polyline(const std::vector<Point>& points, const Stroke& stroke) {
  pugi::xml_node node = document_->parent.append_child("polyline");
  std::string list;
  for (const Point& point : points) {
    list += (list.empty() ? "" : " ") + number(origin_.x + point.x) + "," + number(origin_.y + point.y);
  }
  set(node, "points", list);
  set(node, Fill{});
  set(node, stroke);
}

void Canvas::rectangle(Point corner, Size size, const Fill& fill, const Stroke& stroke) {
  pugi::xml_node node = document_->parent.append_child("rect");
  set(node, "x", origin_.x + corner.x);
  set(node, "y", origin_.y + corner.y);
  set(node, "width", size.width);
  set(node, "height", size.height);
  set(node, fill);
  set(node, stroke);
}

void Canvas::circle(Point centre, double radius, const Fill& fill, const Stroke& stroke) {
  pugi::xml_node node = document_->parent.append_child("circle");
  set(node, "cx", origin_.x + centre.x);
  set(node, "cy", origin_.y + centre.y);
  set(node, "r", radius);
  set(node, fill);
  set(node, stroke);
}

void Canvas::arrow_head(Point tip, double dx, double dy, const char* colour) {
  constexpr double kLength = 11;
  constexpr double kHalfWidth = 6.5;
  pugi::xml_node node = document_->parent.append_child("polygon");
  std::string list = number(origin_.x + tip.x) + "," + number(origin_.y + tip.y);
  for (const double side : {kHalfWidth, -kHalfWidth}) {
    list += " " + number(origin_.x + tip.x - kLength * dx - side * dy) + "," +
            number(origin_.y + tip.y - kLength * dy + side * dx);
  }
  set(node, "points", list);
  set(node, Fill{colour});
}

void Canvas::begin_mark(const char* kind, std::string_view hint) {
  document_->parent = document_->svg.append_child("g");
  set(document_->parent, "class", kind);
  document_->parent.append_child("title").append_child(pugi::node_pcdata).set_value(printable(hint).c_str());
}

void Canvas::end_mark() { document_->parent = document_->svg; }

std::string Canvas::finish(Size size) {
  pugi::xml_node svg = document_->svg;
  set(svg, "viewBox", "0 0 " + number(size.width) + " " + number(size.height));
  set(svg, "width", size.width);
  set(svg, "height", size.height);
  set(svg, "font-family", "Helvetica, Arial, 'DejaVu Sans', sans-serif");
  pugi::xml_node ground = svg.prepend_child("rect");
  set(ground, "width", "100%");
  set(ground, "height", "100%");
  set(ground, "fill", kWhite);
  std::ostringstream out;
  document_->document.save(out, "", pugi::format_indent | pugi::format_no_declaration, pugi::encoding_utf8);
  return out.str();
}

}  // namespace hearsay::charts
