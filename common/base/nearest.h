// What a misspelt word was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

// Returns the candidate that `word` is a misspelling or a beginning of; empty if there is none. Looks at the first 256
// candidates, and at words of at most 64 bytes: the work is bounded whatever a stranger sends.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// "; did you mean 'word'?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace hearsay
