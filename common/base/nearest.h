// Guesses what a misspelt word was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

// Returns the candidate that `word` most likely misspells or abbreviates, or an empty text if no candidate is near.
// Compares only the first 256 candidates, and returns an empty text for a word above 64 bytes.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// Returns "; did you mean 'candidate'?" with the candidate of nearest(), or an empty text if there is none.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace hearsay
