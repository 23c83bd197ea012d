// Reads the body of `POST …/estimates`, as aggregator/docs/api.md describes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/measures/measure.h"
#include "aggregator/measures/times.h"
#include "aggregator/store/store.h"
#include "hearsay/record.h"
#include "hearsay/task.h"

namespace hearsay::api {

struct EstimateRequest {
  static constexpr std::size_t kMaxQueries = 1000;
  static constexpr std::size_t kMaxTables = 1000;
  static constexpr std::size_t kMaxMeasures = 1000;

  std::vector<std::string> queries;
  // For each table, its attributes by their places in the schema, ascending.
  std::vector<std::vector<std::uint32_t>> tables;
  std::vector<measures::NamedMeasure> measures;
  bool simultaneous = false;              // if true, the confidence holds for the intervals of all measures together
  std::vector<measures::Period> periods;  // periods of a trend; empty if the client asks for no trend
  std::string every;                      // the length of a period, as the client sent it
  std::string time_zone = "UTC";
  std::vector<Record> sample;  // the reference distribution; an empty sample means the uniform distribution
  bool project = false;
  double confidence = 0.95;
  store::WindowRange range;
};

// Parses a body. Errors: kMalformedJson, kUnknownKey, kMissingKey (neither queries, tables nor measures), kWrongType,
// kInvalidArgument, kUnknownAttribute, kInvalidRecord (the sample), kUnsupported (a sample for an arrangement other
// than `literals`), kLimitExceeded.
Result<EstimateRequest> parse_estimate_request(const Task& task, std::string_view body);

}  // namespace hearsay::api
