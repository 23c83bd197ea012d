#include "aggregator/api/answers.h"

#include "common/base/json_text.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"

namespace hearsay::api {
namespace {

Json fit_json(const estimator::FitTest& test) {
  return {{"p", test.p}, {"statistic", test.statistic}, {"degrees", test.degrees}};
}

}  // namespace

http::HttpResponse json_response(unsigned status, const Json& body) {
  return http::HttpResponse{status, "application/json", json_text(body), {}};
}

Json estimate_json(const std::string& query, const Result<Answer>& answer) {
  Json json{{"query", query}};
  if (!answer) {
    json["error"] = error_json(answer.error());
    return json;
  }
  const estimator::Estimate& estimate = answer->estimate;
  json["value"] = estimate.value;
  json["standard_error"] = estimate.standard_error;
  json["normal"] = {estimate.normal.low, estimate.normal.high};
  json["guaranteed"] = {estimate.guaranteed.low, estimate.guaranteed.high};
  json["guarantee"] = compiler::guarantee_name(estimate.guarantee);
  json["margin"] = estimate.margin;
  json["influence"] = estimate.influence;
  if (answer->fit) json["fit"] = {{"all", fit_json(answer->fit->all)}, {"query", fit_json(answer->fit->query)}};
  if (answer->projected) json["projected"] = *answer->projected;
  json["warnings"] = estimate.warnings;
  return json;
}

Json table_json(const Schema& schema, std::span<const std::uint32_t> attributes, const Result<TableAnswer>& answer) {
  Json names = Json::array();
  for (const std::uint32_t attribute : attributes) names.push_back(schema[attribute].name());
  Json json{{"attributes", std::move(names)}};
  if (!answer) {
    json["error"] = error_json(answer.error());
    return json;
  }
  json["sizes"] = answer->table.sizes;
  json["values"] = answer->table.values;
  json["standard_errors"] = answer->table.standard_errors;
  json["quantile"] = answer->table.quantile;
  if (answer->projected) json["projected"] = *answer->projected;
  json["warnings"] = answer->warnings;
  return json;
}

Json task_json(const store::StoredTask& stored, const store::TaskCounts& counts) {
  return {{"task", stored.task.id().to_string()},
          {"title", stored.task.spec().title},
          {"closed_at", stored.closed_at ? Json(*stored.closed_at) : Json()},
          {"reports", counts.reports},
          {"windows", counts.windows}};
}

}  // namespace hearsay::api
