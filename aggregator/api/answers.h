// The JSON of the API's answers; aggregator/docs/api.md describes them.
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
  std::optional<estimator::GoodnessOfFit> fit;  // of average-case estimates
  std::optional<double> projected;              // the jointly consistent value, where one was asked for
};
// `query` is the text that was asked.
Json estimate_json(const std::string& query, const Result<Answer>& answer);

struct TableAnswer {
  estimator::ContingencyTable table;
  std::optional<std::vector<double>> projected;  // the jointly consistent cells, where they were asked for
  std::vector<std::string> warnings;
};
Json table_json(const Schema& schema, std::span<const std::uint32_t> attributes, const Result<TableAnswer>& answer);

// {"task", "title", "closed_at", "reports", "windows"}: how many reports in how many windows.
Json task_json(const store::StoredTask& stored, const store::TaskCounts& counts);

}  // namespace hearsay::api
