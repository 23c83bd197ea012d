// Lists the indicators of one attribute that a class of queries uses, with their moments.
#pragma once

#include <cstdint>
#include <vector>

#include "common/channel/questions.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// The indicator g of some values. Its weights h satisfy g = mean + M·h, where M is the matrix of the questions
// (aggregator/compiler/question_law.h).
struct Indicator {
  std::uint32_t first;  // the values [first, last], or all others if `negated`
  std::uint32_t last;
  bool negated;
  double mean;
  double energy;  // h'·M·h
  // The largest E[t(q, q(x))²] over the questions q, for values x that satisfy g; 0 if no value satisfies g.
  double inside;
  // The largest E[t(q, q(x))²] for values x that do not satisfy g; 0 if all values satisfy g.
  double outside;
  // The largest |t(q, k)|, or an upper bound. If turns of the circle map ranges to each other, `score` is the largest
  // over all these ranges.
  double score;
};

enum class Indicators : std::uint8_t {
  kRanges,    // all ranges of values, except the range of all values
  kPrefixes,  // [value <= t]
  kLiterals,  // a value of an unordered attribute, or [value <= t]; also their negations
};

struct IndicatorClass {
  // If the questions make several indicators alike, the list has only one of them.
  std::vector<Indicator> list;
  bool exact;  // true if `inside` and `outside` are exact; otherwise both are upper bounds
};

// Returns the indicators of the attribute that `which` names. `alone` is true if no query is about other attributes,
// too. Then, if the questions ask about an attribute of more than 2^11 values one level at a time, one indicator stands
// for all ranges or prefixes (large_levels.h). Errors: kQueryNotCovered (the questions do not tell some values apart),
// kLimitExceeded (more than 2^11 values, unless the questions make ranges of the same length alike, or one indicator
// stands for all). Cost for 1,024 values: up to a second or two.
Result<IndicatorClass> indicators(const Attribute& attribute, const Questions& questions, Indicators which, bool alone);

}  // namespace hearsay::planner
