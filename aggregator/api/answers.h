// The JSON and CSV of the API's answers; aggregator/docs/api.md describes them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/estimator/estimate.h"
#include "aggregator/estimator/goodness_of_fit.h"
#include "aggregator/http/message.h"
#include "aggregator/ingest/ingest.h"
#include "common/base/strict_json.h"

namespace hearsay::aggregator {

HttpResponse json_response(unsigned status, const Json& body);

// {"detail", "type"}: an error inside a larger answer.
Json error_json(const Error& error);

struct Answer {
  Estimate estimate;
  std::optional<GoodnessOfFit> fit;  // of average-case estimates
  std::optional<double> projected;   // the jointly consistent value, where one was asked for
};
Json estimate_json(const std::string& query, const Result<Answer>& answer);
Json table_json(const Schema& schema, std::span<const std::uint32_t> attributes, const Result<ContingencyTable>& table);

// The answer to an upload, by the rules of the section "Reports"; `now` is the server's time.
HttpResponse outcomes_response(const std::vector<ReportOutcome>& outcomes, UnixSeconds now);

// The problem document of an error; where the cause may be the client's clock it has the server's time as `now`.
HttpResponse make_problem_at(const Error& error, UnixSeconds now);
HttpResponse make_problem_at(const Error& error, unsigned status, UnixSeconds now);

using WindowTallies = std::vector<std::pair<UnixSeconds, Tally>>;
// {"task", "name", "closed_at", "reports", "windows"}: how many reports in how many windows.
Json task_json(const StoredTask& stored, const WindowTallies& windows);
Json tally_json(const TaskId& task, const WindowTallies& windows);
std::string tally_csv(const WindowTallies& windows);

}  // namespace hearsay::aggregator
