// The χ² law.
#pragma once

namespace hearsay::tails {

// Pr[χ²(degrees) > value]. degrees > 0 and finite; 1 for value <= 0.
double chi_square_upper_tail(double value, double degrees);

}  // namespace hearsay::tails
