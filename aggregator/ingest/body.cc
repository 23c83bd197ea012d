#include "aggregator/ingest/body.h"

#include <limits>

#include "common/base/media_type.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/task/times.h"

namespace hearsay::ingest {
namespace {

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

Error located(std::size_t report, const Error& error) {
  return {error.code, "report " + std::to_string(report) + ": " + error.message};
}

Result<void> split(std::span<const std::uint8_t> rest, Body& body) {
  while (!rest.empty()) {
    const auto before = rest;
    auto report = read_report(rest);
    if (!report) return located(body.reports.size(), report.error());
    body.reports.push_back(*report);
    body.encodings.push_back(before.first(before.size() - rest.size()));
  }
  return {};
}

Result<std::vector<std::uint8_t>> encode_json(std::string_view bytes) {
  if (bytes.size() > kMaxJsonBody) {
    return Error{ErrorCode::kBodyTooLarge,
                 "reports in JSON may take at most " + std::to_string(kMaxJsonBody) + " bytes"};
  }
  // An array of flat objects has depth 2.
  auto json = parse_json(bytes, {.max_bytes = kMaxJsonBody, .max_depth = 2});
  if (!json) return Error{ErrorCode::kReportMalformed, json.error().message};
  if (!json->is_array()) *json = Json::array({std::move(*json)});
  std::vector<std::uint8_t> encoded;
  std::size_t number = 0;
  for (const Json& element : *json) {
    auto report = report_from_json(element);
    if (!report) return located(number, report.error());
    append_report(*report, encoded);
    ++number;
  }
  return encoded;
}

}  // namespace

Result<Body> decode_body(std::string_view media_type, std::string_view bytes) {
  Body body;
  if (means_media_type(media_type, kReportsMediaType)) {
    HEARSAY_CHECK_OK(split({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, body));
  } else if (means_media_type(media_type, kJsonMediaType)) {
    HEARSAY_TRY(body.owned, encode_json(bytes));
    HEARSAY_CHECK_OK(split(body.owned, body));
  } else {
    return Error{ErrorCode::kUnsupportedMediaType,
                 "reports are sent as " + std::string(kReportsMediaType) + " or " + std::string(kJsonMediaType)};
  }
  if (body.reports.empty()) return Error{ErrorCode::kReportMalformed, "the body holds no report"};
  return body;
}

std::optional<ErrorCode> check_report(const Task& task, const ReportView& report, UnixSeconds now,
                                      std::uint64_t skew_seconds) {
  const TaskSpec& spec = task.spec();
  if (report.time % spec.time_precision != 0 || report.time < spec.task_start || looks_like_milliseconds(report.time)) {
    return ErrorCode::kReportTimeInvalid;
  }
  // Clients may send reports of the last window until time_precision after the task's end.
  if (report.time >= task.end() || now >= saturating_add(task.end(), spec.time_precision)) {
    return ErrorCode::kTaskExpired;
  }
  if (report.time > task.window_of(saturating_add(now, skew_seconds))) return ErrorCode::kReportTooEarly;
  if (task.is_expired(report.time, now)) return ErrorCode::kReportExpired;
  if (const auto good = task.channel().check(report.payload); !good) return good.error().code;
  return std::nullopt;
}

std::string rejection_detail(ErrorCode reason, const Task& task, UnixSeconds now) {
  const TaskSpec& spec = task.spec();
  const std::string clock = "; the server's clock is at " + std::to_string(now);
  switch (reason) {
    case ErrorCode::kReportTimeInvalid:
      return "the report's time starts no window of the task: give the time in seconds since 1970 (not milliseconds), "
             "a multiple of " +
             std::to_string(spec.time_precision) + ", and not before the task's start at " +
             std::to_string(spec.task_start);
    case ErrorCode::kTaskExpired:
      return "the report's time is not before the task's end at " + std::to_string(task.end()) +
             ", or the task ended " + std::to_string(spec.time_precision) + " seconds ago or more" + clock;
    case ErrorCode::kReportTooEarly:
      return "the report's time is ahead of the server's clock" + clock;
    case ErrorCode::kReportExpired:
      return "reports are taken until " + std::to_string(spec.report_expiry_age) +
             " seconds after the end of their window" + clock;
    case ErrorCode::kReportWrongSize:
      return "the payload has another size than the payloads of this task";
    case ErrorCode::kReportOutOfBounds:
      return "the task's randomizer makes no such payload";
    case ErrorCode::kClockUncertain:
      return "the window is sealed, although it has not expired by the server's clock; send the same bytes again "
             "later" +
             clock;
    case ErrorCode::kReportConflict:
      return "the server holds another report with the same id";
    case ErrorCode::kUnrecognizedTask:
      return "the task was deleted";
    case ErrorCode::kLimitExceeded:
      return "a limit is reached: of reports in a window (2^32), of different answers in a window (max_window_pairs), "
             "or of windows of the task (max_task_windows)";
    default:
      return "the server does not take the report";
  }
}

}  // namespace hearsay::ingest
