// Text in a drawing: how wide it is at most, cut or broken to fit, and labels that keep their distance.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearsay::charts {

// Pixels that the text takes at most in common sans-serif fonts of this size. The reader's font is not known.
double text_width(std::string_view text, int font);

// The text in lines of at most `width` pixels, broken at spaces, longer words anywhere. Of more than `most` lines, the
// last one ends with an ellipsis. At least one line.
std::vector<std::string> wrapped(std::string_view text, int font, double width, std::size_t most);

// The text on one line of at most `width` pixels.
std::string fitted(std::string_view text, int font, double width);

// Heights of labels as near to `wanted` as a distance of `step` allows, between `top` and `bottom`. In the order of
// `wanted`. There must be room for all.
std::vector<double> spread(const std::vector<double>& wanted, double step, double top, double bottom);

}  // namespace hearsay::charts
