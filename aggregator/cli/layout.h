// Formats text for people, at most 100 columns wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/console/table.h"

namespace hearsay::cli {

constexpr std::size_t kColumns = 100;

// Returns the greatest width of a line: kColumns, or less (but at least 40) if standard output is a narrower terminal.
std::size_t line_columns();

// Returns the text as one line of at most `columns` columns. Control characters become spaces. If the text is too long,
// the line ends with an ellipsis.
std::string shortened(std::string_view text, std::size_t columns);

// Breaks the text at spaces into lines of at most `columns` columns. Breaks a word anywhere if the word is longer than
// a line.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

// Returns the text as paragraphs with lines of at most line_columns().
std::string paragraph(std::string_view text);

// Returns the table as text, with its last column wrapped so that lines have at most line_columns(). The other columns
// must leave a width of at least 20 for the last column.
std::string to_text(const console::Table& table);

// Returns a factor as text, such as "4.68" or "63,210". `ratio` must not be negative.
std::string times_text(double ratio);

// Returns the argument, quoted for a POSIX shell if necessary.
std::string shell_quoted(const std::string& argument);

}  // namespace hearsay::cli
