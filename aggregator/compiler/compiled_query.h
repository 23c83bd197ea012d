// What compile() returns: the linear form of a query, and its study, from which class_moments() continues.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/model.h"

namespace hearsay::compiler {

struct CompiledQuery {
  LinearQuery linear;
  // On literals: the study of the query, so that class_moments() need not repeat the study. If the reference is a
  // sample of records, these records must outlive the study. They need not outlive `linear`.
  std::optional<Study> study = {};
  // On explicit vectors: f of every record of the universe, 0 or 1.
  std::vector<std::uint8_t> truth = {};
};

}  // namespace hearsay::compiler
