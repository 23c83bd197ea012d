// Guesses what a misspelt word was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

// Returns the candidate that `word` misspells or begins; empty if there is none. Looks only at the first 256
// candidates, and at words of at most 64 bytes, so the work is bounded for every input.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// Returns "; did you mean 'word'?", or an empty text.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace hearsay
