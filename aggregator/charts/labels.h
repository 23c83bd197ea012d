// Text in a drawing: its greatest width, cut or broken to fit, and labels that keep their distance.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearsay::charts {

// Returns the most pixels that the text takes in common sans-serif fonts of this size. The reader's font is unknown.
double text_width(std::string_view text, int font);

// Returns the text in lines of at most `width` pixels, broken at spaces; longer words are broken anywhere. If more than
// `most` lines are needed, the last line ends with an ellipsis. Returns at least one line.
std::vector<std::string> wrapped(std::string_view text, int font, double width, std::size_t most);

// Returns the text as one line of at most `width` pixels.
std::string fitted(std::string_view text, int font, double width);

// Returns heights for labels, in the order of `wanted`. The heights are between `top` and `bottom`, at least `step`
// apart, and as near to `wanted` as that allows. There must be room for all labels.
std::vector<double> spread(const std::vector<double>& wanted, double step, double top, double bottom);

}  // namespace hearsay::charts
