// The result of compile(): the linear form of a query, and the study (model.h) that class_moments() continues.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/model.h"

namespace hearsay::compiler {

struct CompiledQuery {
  LinearQuery linear;
  // Set on literals: the study of the query, so that class_moments() need not repeat this work. If the reference is a
  // sample of records, these records must outlive the study. `linear` does not use the records.
  std::optional<Study> study = {};
  // Set on explicit vectors: f(x), 0 or 1, for every record x of the universe.
  std::vector<std::uint8_t> truth = {};
};

}  // namespace hearsay::compiler
