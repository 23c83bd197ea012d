// Measures: what analysts ask beyond counting queries, such as `mean(age) among smoker`. README.md has the grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/query.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::measures {

enum class Kind : std::uint8_t { kShare, kMean, kHistogram, kCumulative, kQuantile, kDifference, kRatio };

// The syntax tree of one measure. parse() checks every part against the schema.
struct Measure {
  static constexpr std::size_t kMaxTextBytes = Query::kMaxTextBytes;
  // Nested levels of `difference` and `ratio`.
  static constexpr std::size_t kMaxDepth = 8;
  static constexpr std::size_t kMaxOperands = 16;  // shares and means of one measure
  static constexpr std::size_t kMaxSummands = 16;  // attributes of one mean

  Kind kind = Kind::kShare;
  std::optional<Query> query;             // kShare
  std::vector<std::uint32_t> attributes;  // kMean: the summands; kHistogram, kCumulative, kQuantile: one
  double level = 0;                       // kQuantile: in (0, 1)
  std::vector<Measure> operands;          // kDifference, kRatio: two
  std::optional<Query> among;             // the subpopulation; without a value, everybody
  // The attribute after `by`. Only the outermost measure may have a `by`.
  std::optional<std::uint32_t> by;
};

// Reads a measure. Errors: kQuerySyntax, kUnknownAttribute, kUnknownValue, kQueryTooLarge. A message begins with "line
// L, column C: ".
Result<Measure> parse(const Schema& schema, std::string_view text);

struct NamedMeasure {
  std::string name;  // empty: the file gives no name
  std::string text;
};

// Reads a file of measures, one in each line. A name and a colon may stand before a measure. Skips empty lines and
// lines that begin with #. Does not parse the measures. Errors: kQuerySyntax (no measure in the file; a name without a
// measure; a name given twice). Unless the file has no measure, the message names the line.
Result<std::vector<NamedMeasure>> read_file(std::string_view text);

}  // namespace hearsay::measures
