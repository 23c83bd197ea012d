// Colours that colour-blind people can distinguish: those of Okabe and Ito, without yellow, which is too light on
// white.
#pragma once

#include <array>

namespace hearsay::charts {

inline constexpr std::array<const char*, 7> kPalette{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                     "#E69F00", "#56B4E9", "#000000"};
inline constexpr const char* kBlue = kPalette[0];
inline constexpr const char* kRed = kPalette[1];

}  // namespace hearsay::charts
