#include "aggregator/api/estimate_request.h"

#include <algorithm>

#include "aggregator/api/times.h"
#include "aggregator/csv/read_records.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/schema/names.h"

namespace hearsay::api {
namespace {

// Reads a time: a number of seconds since 1970, or a text for measures::parse_time().
Result<UnixSeconds> get_time(const ObjectReader& reader, std::string_view key, const std::string& zone) {
  HEARSAY_TRY(const Json* time, reader.get(key));
  if (time->is_string()) {
    auto parsed = measures::parse_time(time->get<std::string>(), zone);
    if (!parsed) return Error{parsed.error().code, reader.path(key) + ": " + parsed.error().message};
    return parsed;
  }
  HEARSAY_TRY(const std::int64_t seconds, reader.get_int(key, 0, std::int64_t{1} << 53U));
  return static_cast<UnixSeconds>(seconds);
}

Result<const Json*> get_list(const ObjectReader& reader, std::string_view key, std::size_t most) {
  HEARSAY_TRY(const Json* list, reader.get_array(key));
  if (list->empty() || list->size() > most) {
    return Error{ErrorCode::kLimitExceeded, reader.path(key) + " must hold 1 to " + std::to_string(most) + " elements"};
  }
  return list;
}

Result<std::vector<std::string>> strings(const Json& list, const std::string& where) {
  std::vector<std::string> result;
  for (const Json& element : list) {
    if (!element.is_string()) return Error{ErrorCode::kWrongType, where + " must hold strings"};
    result.push_back(element.get<std::string>());
  }
  return result;
}

Result<std::vector<std::uint32_t>> attributes_of(const Schema& schema, const Json& list, const std::string& where) {
  if (!list.is_array() || list.empty() || list.size() > schema.size()) {
    return Error{ErrorCode::kWrongType, where + " must be a list of attributes' names"};
  }
  HEARSAY_TRY(const std::vector<std::string> names, strings(list, where));
  std::vector<std::uint32_t> attributes;
  for (const std::string& name : names) {
    const auto attribute = schema.find(name);
    if (!attribute) {
      const std::string shown = check_name(name, "") ? " named " + shown_name(name) : "";
      return Error{ErrorCode::kUnknownAttribute, where + ": there is no attribute" + shown};
    }
    attributes.push_back(static_cast<std::uint32_t>(*attribute));
  }
  std::sort(attributes.begin(), attributes.end());
  if (std::adjacent_find(attributes.begin(), attributes.end()) != attributes.end()) {
    return Error{ErrorCode::kInvalidArgument, where + " names an attribute twice"};
  }
  return attributes;
}

// Reads measures: texts, or objects {"name", "measure"}.
Result<std::vector<measures::NamedMeasure>> measures_of(const Json& list, const std::string& where) {
  std::vector<measures::NamedMeasure> result;
  for (const Json& element : list) {
    if (element.is_string()) {
      result.push_back({"", element.get<std::string>()});
      continue;
    }
    const std::string path = where + "[" + std::to_string(result.size()) + "]";
    HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(element, path));
    HEARSAY_CHECK_OK(reader.allow_only({"name", "measure"}));
    HEARSAY_TRY(std::string name, reader.get_string("name"));
    HEARSAY_TRY(std::string text, reader.get_string("measure"));
    result.push_back({std::move(name), std::move(text)});
  }
  return result;
}

// Reads the range and the periods of a trend. If the range has no begin or end, the periods begin or end with the task.
Result<void> get_times(const Task& task, const ObjectReader& reader, EstimateRequest& request) {
  if (reader.has("time_zone")) {
    HEARSAY_TRY(request.time_zone, reader.get_string("time_zone"));
  }
  if (reader.has("from")) {
    HEARSAY_TRY(request.range.from, get_time(reader, "from", request.time_zone));
  }
  if (reader.has("to")) {
    HEARSAY_TRY(request.range.to, get_time(reader, "to", request.time_zone));
  }
  HEARSAY_CHECK_OK(check_range(task, request.range));
  if (!reader.has("every")) return {};
  if (request.measures.empty()) {
    return Error{ErrorCode::kInvalidArgument, reader.path("every") + " needs measures, and the request has none"};
  }
  HEARSAY_TRY(request.every, reader.get_string("every"));
  const measures::Period whole{reader.has("from") ? request.range.from : task.spec().task_start,
                               reader.has("to") ? request.range.to : task.end()};
  HEARSAY_TRY(request.periods, measures::periods(request.every, request.time_zone, whole, task.spec().time_precision));
  return {};
}

Result<double> get_confidence(const ObjectReader& reader) {
  HEARSAY_TRY(const Json* confidence, reader.get("confidence"));
  if (!confidence->is_number()) return Error{ErrorCode::kWrongType, reader.path("confidence") + " must be a number"};
  const auto value = confidence->get<double>();
  if (!(value > 0 && value < 1)) {
    return Error{ErrorCode::kInvalidArgument, reader.path("confidence") + " must lie strictly between 0 and 1"};
  }
  return value;
}

}  // namespace

Result<EstimateRequest> parse_estimate_request(const Task& task, std::string_view body) {
  HEARSAY_TRY(const Json json, parse_json(body));
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(json, "request"));
  HEARSAY_CHECK_OK(reader.allow_only({"queries", "tables", "sample", "ignore_unknown_columns", "project", "confidence",
                                      "from", "to", "measures", "simultaneous", "every", "time_zone"}));

  EstimateRequest request;
  if (reader.has("queries") || (!reader.has("tables") && !reader.has("measures"))) {
    HEARSAY_TRY(const Json* queries, get_list(reader, "queries", EstimateRequest::kMaxQueries));
    HEARSAY_TRY(request.queries, strings(*queries, reader.path("queries")));
  }
  if (reader.has("tables")) {
    HEARSAY_TRY(const Json* tables, get_list(reader, "tables", EstimateRequest::kMaxTables));
    for (const Json& table : *tables) {
      const std::string where = reader.path("tables") + "[" + std::to_string(request.tables.size()) + "]";
      HEARSAY_TRY(std::vector<std::uint32_t> attributes, attributes_of(task.schema(), table, where));
      request.tables.push_back(std::move(attributes));
    }
  }
  if (reader.has("measures")) {
    HEARSAY_TRY(const Json* measures, get_list(reader, "measures", EstimateRequest::kMaxMeasures));
    HEARSAY_TRY(request.measures, measures_of(*measures, reader.path("measures")));
  }
  if (reader.has("simultaneous")) {
    HEARSAY_TRY(request.simultaneous, reader.get_bool("simultaneous"));
  }
  if (reader.has("sample")) {
    HEARSAY_TRY(const std::string csv, reader.get_string("sample"));
    if (!std::holds_alternative<LiteralsSpec>(task.spec().arrangement)) {
      return Error{ErrorCode::kUnsupported, reader.path("sample") +
                                                " is only for tasks with the arrangement `literals`: answers of other "
                                                "arrangements do not depend on a sample"};
    }
    csv::CsvOptions options{.name = "sample"};
    if (reader.has("ignore_unknown_columns")) {
      HEARSAY_TRY(options.ignore_unknown_columns, reader.get_bool("ignore_unknown_columns"));
    }
    HEARSAY_TRY(request.sample, csv::read_records(task.schema(), csv, options));
  }
  if (reader.has("project")) {
    HEARSAY_TRY(request.project, reader.get_bool("project"));
  }
  if (reader.has("confidence")) {
    HEARSAY_TRY(request.confidence, get_confidence(reader));
  }
  HEARSAY_CHECK_OK(get_times(task, reader, request));
  return request;
}

}  // namespace hearsay::api
