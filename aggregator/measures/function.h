// Real functions of records: weighted sums of queries and of the numbers of attributes, each within a subpopulation.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/model.h"
#include "aggregator/compiler/work.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::measures {

// f(x) = Σ over the pieces of scale·v(x_attribute)·[x satisfies `where`]. A piece without an attribute has v = 1, and
// one without `where` holds for everybody.
struct Function {
  struct Piece {
    double scale = 1;
    std::optional<std::uint32_t> attribute;
    std::vector<double> values;  // v, one for each value of the attribute
    std::optional<Query> where;
  };
  std::vector<Piece> pieces;

  // 1 where the query holds, 0 elsewhere.
  static Function of(Query query);
  // The attribute's number, from min() on, less `origin`. `where`: 0 elsewhere.
  static Function of_numbers(const Schema& schema, std::uint32_t attribute, double origin, std::optional<Query> where);

  // Adds scale·f.
  void add(double scale, const Function& f);
  // Whether the function is a query.
  bool is_query() const;
  // Bounds of the function over all records: not always the sharpest.
  std::pair<double, double> range() const;
};

// `q and r`; nothing is no condition.
std::optional<Query> both(const std::optional<Query>& q, const std::optional<Query>& r);

// f·g. Nothing if that multiplies numbers of attributes that have more than 1,024 pairs of values, over all pairs of
// attributes.
std::optional<Function> product(const Function& f, const Function& g);

struct CompiledFunction {
  // One affine form for the whole function, so that its variance holds all covariances.
  compiler::LinearQuery linear;
  // Where the form is average-case and the sum of several queries, these: Bennett's bound of an instance term knows the
  // classes of one query only.
  std::vector<std::pair<double, compiler::LinearQuery>> parts = {};
};

// Σ scale·form. Instances and sampled class means of average-case forms are added up as if they always had the same
// sign, which makes the variance too large rather than too small.
compiler::LinearQuery combination(const std::vector<std::pair<double, const compiler::LinearQuery*>>& parts);

// Numbers of an attribute become one query for each step from a value to the next, or, where a report's questions are
// scored by attribute, one function of the attribute. Errors: those of compiler::compile(); kLimitExceeded (an
// attribute of more than 4,096 values). Throws WorkStopped.
Result<CompiledFunction> compile(const Task& task, const Function& function, compiler::Work& work,
                                 compiler::Reference reference);

}  // namespace hearsay::measures
