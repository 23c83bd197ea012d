// Text for people, at most 100 columns wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/console/table.h"

namespace hearsay::cli {

constexpr std::size_t kColumns = 100;

// How wide lines may be: kColumns, or less on a narrower terminal of standard output.
std::size_t line_columns();

// The text on one line of at most so many columns, control characters as spaces. What is cut off is an ellipsis.
std::string shortened(std::string_view text, std::size_t columns);

// The text in lines of at most so many columns, broken at spaces; a longer word is broken anywhere.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

// The text as paragraphs of at most line_columns().
std::string paragraph(std::string_view text);

// The table with its last column wrapped, so that lines have at most line_columns(). The other columns must leave
// it 20.
std::string to_text(const console::Table& table);

// "4.68", "63,210": a number of times, which is not negative.
std::string times_text(double ratio);

// The argument as a POSIX shell reads it back.
std::string shell_quoted(const std::string& argument);

}  // namespace hearsay::cli
