// Formats the output of `hearsay bounds`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "aggregator/bounds/class_bounds.h"
#include "aggregator/bounds/named_class.h"
#include "aggregator/console/table.h"
#include "common/base/json.h"

namespace hearsay::cli {

struct PlannersBest {
  std::optional<std::uint64_t> users;
  std::string mechanism;
  std::string why_not;  // the reason if `users` is empty
};

// The arrangement with the largest margin γ̃_min, projected to fewer dimensions.
struct Projection {
  int dimensions;
  double before;    // γ̃_min of the arrangement
  double measured;  // γ̃_min of the projection
  double enough;    // by (22), enough dimensions for a γ̃_min of at least before/8 with probability 1 - beta
};

// The task that `--write` has written.
struct WrittenTask {
  std::string file;
  std::string id;
  std::size_t dimensions;
  std::uint64_t sensitivity;
  double before;  // γ̃_min of the arrangement
  double after;
};

struct BoundsReport {
  bounds::ClassSpec spec;  // empty name: the class is the matrix of a file
  std::string matrix_file;
  std::string epsilon_text;
  double epsilon;
  double beta;
  std::size_t records;
  std::size_t queries;
  std::optional<bounds::ClassBounds> bounds;
  std::optional<PlannersBest> best;  // for a named class only
  std::optional<Projection> projection = {};
  std::optional<WrittenTask> written = {};
};

std::string text_of(const BoundsReport& report);
console::Table table_of(const BoundsReport& report);
Json json_of(const BoundsReport& report);

}  // namespace hearsay::cli
