// Writes the API's answers as JSON, as aggregator/docs/api.md describes them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aggregator/estimator/estimate.h"
#include "aggregator/estimator/fit/goodness_of_fit.h"
#include "aggregator/http/message.h"
#include "aggregator/store/store.h"
#include "common/base/json.h"

namespace hearsay::api {

http::HttpResponse json_response(unsigned status, const Json& body);

struct Answer {
  estimator::Estimate estimate;
  std::optional<estimator::GoodnessOfFit> fit;  // set for average-case estimates
  std::optional<double> projected;  // the value from estimator::project(), if the client asked for `project`
};
// `query` is the query's text, as the client sent it.
Json estimate_json(const std::string& query, const Result<Answer>& answer);

struct TableAnswer {
  estimator::ContingencyTable table;
  // The cells from estimator::project(), if the client asked for `project`.
  std::optional<std::vector<double>> projected;
  std::vector<std::string> warnings;
};
Json table_json(const Schema& schema, std::span<const std::uint32_t> attributes, const Result<TableAnswer>& answer);

// Returns {"task", "title", "closed_at", "reports", "windows"}. `windows` counts the windows with reports.
Json task_json(const store::StoredTask& stored, const store::TaskCounts& counts);

}  // namespace hearsay::api
