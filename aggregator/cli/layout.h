// Text for people, at most 100 columns wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/console/table.h"

namespace hearsay::cli {

constexpr std::size_t kColumns = 100;

// Returns how wide lines may be: kColumns, or less if standard output is a narrower terminal.
std::size_t line_columns();

// Returns the text as one line of at most `columns`. Control characters become spaces, and an ellipsis stands for what
// is cut off.
std::string shortened(std::string_view text, std::size_t columns);

// Returns the text in lines of at most `columns`, broken at spaces. A word that is longer is broken anywhere.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

// Returns the text as paragraphs with lines of at most line_columns().
std::string paragraph(std::string_view text);

// Returns the table with its last column wrapped, so that lines have at most line_columns(). The other columns must
// leave at least 20 columns for the last one.
std::string to_text(const console::Table& table);

// Returns a factor as text, such as "4.68" or "63,210". `ratio` must not be negative.
std::string times_text(double ratio);

// Returns the argument as it must be typed in a POSIX shell.
std::string shell_quoted(const std::string& argument);

}  // namespace hearsay::cli
