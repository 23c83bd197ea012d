// Reads an SVG drawing, so that tests can examine its parts.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "aggregator/charts/labels.h"

namespace hearsay::charts {

struct Text {
  double x;
  double y;
  int size;
  std::string anchor;
  bool upright;
  std::string content;
};

struct Box {
  double left;
  double top;
  double right;
  double bottom;
};

class Drawing {
 public:
  explicit Drawing(const std::string& svg) {
    const pugi::xml_parse_result parsed = document_.load_buffer(svg.data(), svg.size(), pugi::parse_full);
    CAPTURE(parsed.description());
    REQUIRE(parsed);
    REQUIRE(std::strcmp(root().name(), "svg") == 0);
    walk(root());
  }

  pugi::xml_node root() const { return document_.document_element(); }
  double width() const { return root().attribute("width").as_double(); }
  double height() const { return root().attribute("height").as_double(); }
  const std::vector<Text>& texts() const { return texts_; }

  const Text& named(const std::string& content) const {
    const auto found =
        std::find_if(texts_.begin(), texts_.end(), [&](const Text& text) { return text.content == content; });
    CAPTURE(content);
    REQUIRE(found != texts_.end());
    return *found;
  }
  bool has(const std::string& content) const {
    return std::any_of(texts_.begin(), texts_.end(), [&](const Text& text) { return text.content == content; });
  }

  std::vector<pugi::xml_node> marks(const char* kind) const {
    std::vector<pugi::xml_node> found;
    for (const pugi::xml_node group : root().children("g")) {
      if (std::strcmp(group.attribute("class").value(), kind) == 0) found.push_back(group);
    }
    return found;
  }

  // Checks that no text is outside of the drawing, overlaps another text or is too small to read, and that there is
  // no script.
  void check_legible() const {
    std::vector<std::pair<Box, const Text*>> boxes;
    for (const Text& text : texts_) {
      CAPTURE(text.content);
      CHECK(text.size >= 13);
      const Box box = box_of(text);
      CHECK(box.left >= 0);
      CHECK(box.top >= 0);
      CHECK(box.right <= width() + 0.5);
      CHECK(box.bottom <= height() + 0.5);
      if (!text.content.empty()) boxes.emplace_back(box, &text);
    }
    std::sort(boxes.begin(), boxes.end(), [](const auto& a, const auto& b) { return a.first.top < b.first.top; });
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      for (std::size_t j = i + 1; j < boxes.size() && boxes[j].first.top < boxes[i].first.bottom; ++j) {
        const Box& a = boxes[i].first;
        const Box& b = boxes[j].first;
        const bool apart = a.right <= b.left || b.right <= a.left;
        if (apart) continue;
        CAPTURE(boxes[i].second->content);
        CAPTURE(boxes[j].second->content);
        CHECK(apart);
      }
    }
    CHECK(root().select_nodes("//script | //*[@onload] | //*[@href]").empty());
  }

 private:
  void walk(pugi::xml_node parent) {
    for (const pugi::xml_node child : parent.children()) {
      walk(child);
      if (std::strcmp(child.name(), "text") != 0) continue;
      texts_.push_back({child.attribute("x").as_double(), child.attribute("y").as_double(),
                        child.attribute("font-size").as_int(), child.attribute("text-anchor").value(),
                        !child.attribute("transform").empty(), child.text().get()});
    }
  }

  // Capitals reach three quarters of the font size above the base line. In common fonts the letters of a lower-case
  // text are on average at most 0.56 of the font size wide. text_width() must leave room for more.
  static Box box_of(const Text& text) {
    const double length = text_width(text.content, text.size) * 0.95;
    const double before = text.anchor == "start" ? 0 : text.anchor == "middle" ? length / 2 : length;
    const double above = 0.75 * text.size;
    if (text.upright) return {text.x - above, text.y - length + before, text.x, text.y + before};
    return {text.x - before, text.y - above, text.x - before + length, text.y};
  }

  pugi::xml_document document_;
  std::vector<Text> texts_;
};

}  // namespace hearsay::charts
