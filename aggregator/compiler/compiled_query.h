// What the compiler returns: the linear form of a query, and what class_moments() needs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/model.h"

namespace hearsay::compiler {

struct CompiledQuery {
  LinearQuery linear;
  // On literals: how the query was studied, so that class_moments() need not study the query again. The records of the
  // reference must outlive the study; they need not outlive `linear`.
  std::optional<Study> study = {};
  // On explicit vectors: f of every record of the universe, 0 or 1.
  std::vector<std::uint8_t> truth = {};
};

}  // namespace hearsay::compiler
