// Guesses the kind of attribute of a column from the column's texts.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "aggregator/proposal/column.h"
#include "common/base/strict_json.h"
#include "common/companion/day.h"
#include "common/companion/decimal.h"

namespace hearsay::proposal {

struct GuessOptions {
  // Texts that stand for a missing value.
  std::vector<std::string> missing{"",  "NA",   "N/A",  "n/a",  "na",  "-",   "--",  ".",
                                   "?", "null", "NULL", "#N/A", "NaN", "nan", "<NA>"};
  std::size_t most_values = 20;  // the most categories of texts, without the value for missing texts
  std::size_t most_steps = 200;  // about the most values of an integer attribute
  char decimal_mark = '.';       // for columns whose numbers fit both '.' and ','
  bool only_that_mark = false;   // true: the user gave decimal_mark for all columns
  std::optional<DateOrder> date_order;
};

// The proposed attribute for a column.
struct Guess {
  Json attribute;    // the element of the schema, without a name
  Json rule;         // the element of the companion document, without attribute and column
  std::string what;  // such as "whole numbers from 18 to 90"
  std::string why;
};

// A column that does not become an attribute, and the reason.
struct LeftOut {
  std::string why;
};

using Outcome = std::variant<Guess, LeftOut>;

// The next three functions return nothing if the column is of another kind.

// Recognises yes and no: words of several languages, 1 and 0, or a tick mark and the empty text.
std::optional<Outcome> guess_boolean(const Column& column, const GuessOptions& options);
// Recognises numbers. Leaves out a column that looks like identifiers, unless `keep` is true.
std::optional<Outcome> guess_number(const Column& column, const GuessOptions& options, bool keep);
// Recognises days.
std::optional<Outcome> guess_date(const Column& column, const GuessOptions& options);
// Makes a categorical attribute. Leaves the column out if all its texts are the same, or if no text can be a value.
// Unless `keep` is true, also leaves out a column that looks like identifiers or free text.
Outcome guess_category(const Column& column, const GuessOptions& options, bool keep);

// If all texts of the column are numbers with this decimal mark, returns the style in which they are written.
std::optional<NumberStyle> style_of(const Column& column, char decimal_mark);

// Returns true if the text is a number with this decimal mark, and not a code such as 00123.
bool is_number(const std::string& text, char decimal_mark);

// Returns true if all texts are numbers with either decimal mark, but some text is two different numbers, such as
// 1.234.
bool leaves_mark_open(const Column& column);

// Returns the member `missing` of a companion document's rule. `value` is the attribute's value for missing texts.
Json missing_rule(const std::string& value, const GuessOptions& options);
// Returns the end of a reason, such as "; 3 rows without a text: the value missing". Returns an empty text if every row
// has a value.
std::string missing_words(const Column& column, const std::string& value);

}  // namespace hearsay::proposal
