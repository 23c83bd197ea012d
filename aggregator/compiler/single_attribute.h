// Queries on one attribute.
#pragma once

#include <span>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/query_form.h"
#include "common/arrangement/literals.h"

namespace hearsay::compiler {

// The weights with which the query equals offset + ⟨a(x), g⟩ for every record x. Among such weights, which leave a
// constant free where the attribute is categorical, those of least noise. Every query on one attribute has them; a
// query that depends on two or more attributes has none, since a sum of two functions that vary takes three values.
LinearQuery compile_exactly(const Predicate& predicate, const Schema& schema, const Literals& literals,
                            std::span<const double> noise_variance);

}  // namespace hearsay::compiler
