#include "aggregator/api/answers.h"

#include <string_view>

#include "aggregator/tally/laplace_tally.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"

namespace hearsay::api {
namespace {

std::string decimal(Uint128 value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

// JSON readers hold integers exactly only up to 2^53.
constexpr std::uint64_t kExactInJson = std::uint64_t{1} << 53U;

Json exact_json(std::int64_t value) {
  const std::uint64_t magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  return magnitude <= kExactInJson ? Json(value) : Json(std::to_string(value));
}

Json exact_json(Uint128 value) {
  return value <= kExactInJson ? Json(static_cast<std::uint64_t>(value)) : Json(decimal(value));
}

Json content_json(const tally::LaplaceTally& tally) {
  Json sums = Json::array();
  Json squares = Json::array();
  for (const std::int64_t sum : tally.sum) sums.push_back(exact_json(sum));
  for (const Uint128 square : tally.sum_of_squares) squares.push_back(exact_json(square));
  return {{"sum", std::move(sums)}, {"sum_of_squares", std::move(squares)}};
}

Json content_json(const tally::SampledTally& tally) {
  Json answers = Json::array();
  for (const tally::SampledTally::Entry& entry : tally.entries()) {
    answers.push_back({exact_json(Uint128{entry.group}), entry.answer, entry.count});
  }
  return {{"answers", std::move(answers)}};
}

void append_csv(const tally::LaplaceTally& tally, const std::string& prefix, std::string& csv) {
  for (std::size_t j = 0; j < tally.sum.size(); ++j) {
    csv += prefix + std::to_string(j) + ',' + std::to_string(tally.sum[j]) + ',' + decimal(tally.sum_of_squares[j]) +
           "\r\n";
  }
}

void append_csv(const tally::SampledTally& tally, const std::string& prefix, std::string& csv) {
  for (const tally::SampledTally::Entry& entry : tally.entries()) {
    csv += prefix + std::to_string(entry.group) + ',' + std::to_string(entry.answer) + ',' +
           std::to_string(entry.count) + "\r\n";
  }
}

Json fit_json(const estimator::FitTest& test) {
  return {{"p", test.p}, {"statistic", test.statistic}, {"degrees", test.degrees}};
}

Json table_value_json(const Schema& schema, const estimator::ContingencyTable& table) {
  Json names = Json::array();
  for (const std::uint32_t attribute : table.attributes) names.push_back(schema[attribute].name());
  return {{"attributes", std::move(names)},
          {"sizes", table.sizes},
          {"values", table.values},
          {"standard_errors", table.standard_errors}};
}

}  // namespace

http::HttpResponse json_response(unsigned status, const Json& body) {
  return http::HttpResponse{status, "application/json", body.dump(), {}};
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

Json table_json(const Schema& schema, std::span<const std::uint32_t> attributes,
                const Result<estimator::ContingencyTable>& table) {
  if (table) return table_value_json(schema, *table);
  Json names = Json::array();
  for (const std::uint32_t attribute : attributes) names.push_back(schema[attribute].name());
  return {{"attributes", std::move(names)}, {"error", error_json(table.error())}};
}

Json task_json(const store::StoredTask& stored, const WindowTallies& windows) {
  std::uint64_t reports = 0;
  for (const auto& [time, tally] : windows) reports += tally.reports();
  return {{"task", stored.task.id().to_string()},
          {"name", stored.task.spec().name},
          {"closed_at", stored.closed_at ? Json(*stored.closed_at) : Json()},
          {"reports", reports},
          {"windows", windows.size()}};
}

Json tally_json(const TaskId& task, const WindowTallies& windows) {
  Json listed = Json::array();
  for (const auto& [time, tally] : windows) {
    Json window{{"time", time}, {"reports", tally.reports()}};
    std::visit([&](const auto& kind) { window.update(content_json(kind)); }, tally.kind());
    listed.push_back(std::move(window));
  }
  return {{"task", task.to_string()}, {"windows", std::move(listed)}};
}

std::string tally_csv(const WindowTallies& windows) {
  const bool sampled = !windows.empty() && std::holds_alternative<tally::SampledTally>(windows.front().second.kind());
  std::string csv = sampled ? "time,reports,group,answer,count\r\n" : "time,reports,coordinate,sum,sum_of_squares\r\n";
  for (const auto& [time, tally] : windows) {
    const std::string prefix = std::to_string(time) + ',' + std::to_string(tally.reports()) + ',';
    std::visit([&](const auto& kind) { append_csv(kind, prefix, csv); }, tally.kind());
  }
  return csv;
}

}  // namespace hearsay::api
