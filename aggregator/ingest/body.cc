#include "aggregator/ingest/body.h"

#include <algorithm>
#include <limits>

#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

// "Application/JSON; charset=utf-8" -> "application/json"
std::string essence(std::string_view media_type) {
  std::string type(media_type.substr(0, media_type.find(';')));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return type;
}

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

}  // namespace

Result<std::unique_ptr<Body>> Body::decode(std::string_view media_type, std::string bytes) {
  const std::string type = essence(media_type);
  const bool cbor = type == kReportsMediaType;
  if (!cbor && type != "application/json") {
    return Error{ErrorCode::kUnsupportedMediaType,
                 "reports are sent as " + std::string(kReportsMediaType) + " or application/json"};
  }
  std::unique_ptr<Body> body(new Body(std::move(bytes)));
  HEARSAY_CHECK_OK(cbor ? body->decode_cbor() : body->decode_json());
  if (body->views_.size() > kMaxBodyReports) {
    return Error{ErrorCode::kLimitExceeded, "a body holds at most " + std::to_string(kMaxBodyReports) + " reports"};
  }
  if (body->views_.empty()) return Error{ErrorCode::kReportMalformed, "the body holds no report"};
  return body;
}

Result<void> Body::decode_cbor() {
  std::span<const std::uint8_t> rest(reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size());
  while (!rest.empty() && views_.size() <= kMaxBodyReports) {
    const std::size_t offset = bytes_.size() - rest.size();
    auto report = read_report(rest);
    if (!report) {
      return Error{report.error().code, "report " + std::to_string(views_.size()) + ", at byte " +
                                            std::to_string(offset) + ": " + report.error().message};
    }
    views_.push_back(*report);
  }
  return {};
}

Result<void> Body::decode_json() {
  if (bytes_.size() > kMaxJsonBody) {
    return Error{ErrorCode::kBodyTooLarge, "reports in JSON may take " + std::to_string(kMaxJsonBody) + " bytes"};
  }
  // An array of flat objects.
  auto json = parse_json(bytes_, {.max_bytes = kMaxJsonBody, .max_depth = 2});
  if (!json) return Error{ErrorCode::kReportMalformed, json.error().message};
  if (!json->is_array()) *json = Json::array({std::move(*json)});
  owned_.reserve(json->size());
  for (const Json& element : *json) {
    auto report = report_from_json(element);
    if (!report) {
      return Error{report.error().code, "report " + std::to_string(owned_.size()) + ": " + report.error().message};
    }
    owned_.push_back(*std::move(report));
    views_.push_back({owned_.back().id, owned_.back().time, owned_.back().payload});
  }
  return {};
}

Result<void> check_report(const Task& task, const ReportView& report, UnixSeconds now, std::uint64_t skew_seconds) {
  const TaskSpec& spec = task.spec();
  if (report.time % spec.time_precision != 0) {
    return Error{ErrorCode::kReportTimeInvalid,
                 "the time is no multiple of " + std::to_string(spec.time_precision) + " seconds"};
  }
  // A client's last window may still be on its way when the task has ended, but not for longer than a window.
  if (report.time >= task.end() || now >= saturating_add(task.end(), spec.time_precision)) {
    return Error{ErrorCode::kTaskExpired, "the task took reports until " + std::to_string(task.end())};
  }
  if (report.time < spec.task_start) {
    return Error{ErrorCode::kReportTooEarly, "the task takes reports from " + std::to_string(spec.task_start)};
  }
  if (report.time > task.window_of(saturating_add(now, skew_seconds))) {
    return Error{ErrorCode::kReportTooEarly,
                 "the time is ahead of the server's clock, which is at " + std::to_string(now)};
  }
  return task.channel().check(report.payload);
}

}  // namespace hearsay::aggregator
