// Fits text into a drawing: estimates the width of texts, breaks and shortens them, and keeps labels apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearsay::charts {

// Returns an upper estimate of the text's width, in pixels, in common sans-serif fonts of this size. (The reader's font
// is not known.)
double text_width(std::string_view text, int font);

// Returns the text in lines of at most `width` pixels, broken at spaces; longer words are broken anywhere. If more than
// `most` lines are needed, the last line ends with an ellipsis. Returns at least one line.
std::vector<std::string> wrapped(std::string_view text, int font, double width, std::size_t most);

// Returns the text as one line of at most `width` pixels. A longer text ends with an ellipsis.
std::string fitted(std::string_view text, int font, double width);

// Returns y positions for labels, in the order of `wanted`. The positions are between `top` and `bottom`, at least
// `step` apart, and near to `wanted`. There must be room for all labels.
std::vector<double> spread(const std::vector<double>& wanted, double step, double top, double bottom);

}  // namespace hearsay::charts
