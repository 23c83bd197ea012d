#include "aggregator/api/estimates.h"

#include <string>
#include <vector>

#include "aggregator/api/answers.h"
#include "aggregator/estimator/estimate.h"
#include "common/base/try.h"
#include "common/random/bit_source.h"

namespace hearsay::aggregator {
namespace {

constexpr std::size_t kMaxQueries = 1000;
constexpr double kDefaultConfidence = 0.95;
// A hard query takes seconds (2^22 combinations of values), and the thread that answers is shared.
constexpr UnixSeconds kMaxSeconds = 60;

struct EstimateRequest {
  std::vector<std::string> queries;
  double confidence = kDefaultConfidence;
  WindowRange range;
};

Result<UnixSeconds> window_bound(const ObjectReader& reader, std::string_view key, const Task& task) {
  HEARSAY_TRY(const std::int64_t time, reader.get_int(key, 0, std::int64_t{1} << 53U));
  if (static_cast<UnixSeconds>(time) % task.spec().time_precision != 0) {
    return Error{ErrorCode::kInvalidArgument, reader.path(key) + " is not a multiple of the task's time_precision"};
  }
  return static_cast<UnixSeconds>(time);
}

Result<EstimateRequest> parse_request(const Task& task, std::string_view body) {
  HEARSAY_TRY(const Json json, parse_json(body));
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(json, "request"));
  HEARSAY_CHECK_OK(reader.allow_only({"queries", "confidence", "from", "to"}));

  EstimateRequest request;
  HEARSAY_TRY(const Json* queries, reader.get_array("queries"));
  if (queries->empty() || queries->size() > kMaxQueries) {
    return Error{ErrorCode::kLimitExceeded, reader.path("queries") + " must hold 1 to 1000 queries"};
  }
  for (const Json& query : *queries) {
    if (!query.is_string()) return Error{ErrorCode::kWrongType, reader.path("queries") + " must hold strings"};
    request.queries.push_back(query.get<std::string>());
  }
  if (reader.has("confidence")) {
    HEARSAY_TRY(const Json* confidence, reader.get("confidence"));
    if (!confidence->is_number()) return Error{ErrorCode::kWrongType, reader.path("confidence") + " must be a number"};
    request.confidence = confidence->get<double>();
    if (!(request.confidence > 0 && request.confidence < 1)) {
      return Error{ErrorCode::kInvalidArgument, reader.path("confidence") + " must lie strictly between 0 and 1"};
    }
  }
  if (reader.has("from")) {
    HEARSAY_TRY(request.range.from, window_bound(reader, "from", task));
  }
  if (reader.has("to")) {
    HEARSAY_TRY(request.range.to, window_bound(reader, "to", task));
  }
  return request;
}

Result<Estimate> answer_query(const Task& task, const std::string& text, const Tally& tally, double confidence) {
  HEARSAY_TRY(const Query query, Query::parse(task.schema(), text));
  HEARSAY_TRY(const LinearQuery compiled,
              task.channel().compile(query, task.schema(), task.arrangement(), system_bit_source()));
  return estimate(task, compiled, tally, confidence);
}

}  // namespace

Result<Json> answer_queries(const Store& store, const Task& task, std::string_view body, Clock& clock) {
  HEARSAY_TRY(const EstimateRequest request, parse_request(task, body));
  HEARSAY_TRY(const Tally tally, store.tally(task, request.range));

  const Error late{ErrorCode::kOverloaded, "the queries before this one took too long: ask for fewer at a time"};
  const UnixSeconds deadline = clock.now() + kMaxSeconds;
  Json answers = Json::array();
  for (const std::string& text : request.queries) {
    const auto answer = clock.now() < deadline ? answer_query(task, text, tally, request.confidence) : late;
    answers.push_back(estimate_json(text, answer));
  }
  return Json{{"task", task.id().to_string()},
              {"epsilon", task.epsilon().to_string()},
              {"reports", tally.reports()},
              {"confidence", request.confidence},
              {"estimates", std::move(answers)}};
}

}  // namespace hearsay::aggregator
