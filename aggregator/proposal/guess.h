// What the texts of one column are.
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
  // Texts that mean that there is none.
  std::vector<std::string> missing{"",  "NA",   "N/A",  "n/a",  "na",  "-",   "--",  ".",
                                   "?", "null", "NULL", "#N/A", "NaN", "nan", "<NA>"};
  std::size_t most_values = 20;  // of a category
  std::size_t most_steps = 200;  // of a number
  char decimal_mark = '.';       // where a column leaves open which one it has
  bool only_that_mark = false;   // numbers have that mark everywhere
  std::optional<DateOrder> date_order;
};

// A column that becomes an attribute.
struct Guess {
  Json attribute;    // the schema's element, without a name
  Json rule;         // the companion document's element, without attribute and column
  std::string what;  // "whole numbers from 18 to 90"
  std::string why;
};

// Why a column becomes no attribute.
struct LeftOut {
  std::string why;
};

using Outcome = std::variant<Guess, LeftOut>;

// Each of these returns nothing if the column is something else.

// Yes or no: words of several languages, 1 and 0, or a tick mark and nothing.
std::optional<Outcome> guess_boolean(const Column& column, const GuessOptions& options);
// Numbers. `keep`: not to be left out for what looks like identifiers.
std::optional<Outcome> guess_number(const Column& column, const GuessOptions& options, bool keep);
// Days.
std::optional<Outcome> guess_date(const Column& column, const GuessOptions& options);
// Whatever has few distinct texts, or frequent ones.
Outcome guess_category(const Column& column, const GuessOptions& options, bool keep);

// How all texts of the column are written, if they are numbers with this decimal mark.
std::optional<NumberStyle> style_of(const Column& column, char decimal_mark);

// True if the text alone is a number with this decimal mark, and no code such as 00123.
bool is_number(const std::string& text, char decimal_mark);

// True if the column's texts are numbers with both marks, of other values.
bool leaves_mark_open(const Column& column);

// The member `missing` of a rule.
Json missing_rule(const std::string& value, const GuessOptions& options);
// "3 rows have none", to follow a reason; empty if every row has a text.
std::string missing_words(const Column& column, const std::string& value);

}  // namespace hearsay::proposal
