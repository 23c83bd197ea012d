// A query as the compiler hands it on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/model.h"

namespace hearsay::compiler {

struct CompiledQuery {
  LinearQuery linear;
  // On literals: how the query was studied. class_moments() goes on from here, so that no query is studied twice. The
  // records of the reference must outlive the study; they need not outlive `linear`.
  std::optional<Study> study = {};
  // On explicit vectors: f of every record of the universe, 0 or 1.
  std::vector<std::uint8_t> truth = {};
};

}  // namespace hearsay::compiler
