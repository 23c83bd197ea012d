// Fits text into a drawing: estimates the width of texts, breaks and shortens texts, and keeps labels apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearsay::charts {

// Returns an upper estimate of the text's width, in pixels, in common sans-serif fonts. `font` is the font's size in
// pixels.
double text_width(std::string_view text, int font);

// Breaks the text at spaces into lines of at most `width` pixels. A word that is longer than a line is broken anywhere.
// If more than `most` lines are needed, the last line ends with an ellipsis. Returns at least one line.
std::vector<std::string> wrapped(std::string_view text, int font, double width, std::size_t most);

// Returns the text as one line of at most `width` pixels. A longer text ends with an ellipsis.
std::string fitted(std::string_view text, int font, double width);

// Returns a y position for each label, near to the label's position in `wanted`. The positions are between `top` and
// `bottom`, and at least `step` apart. There must be room for all labels.
std::vector<double> spread(const std::vector<double>& wanted, double step, double top, double bottom);

}  // namespace hearsay::charts
