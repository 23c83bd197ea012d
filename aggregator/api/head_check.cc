#include "aggregator/api/head_check.h"

#include <string>

#include "aggregator/api/parameters.h"
#include "common/base/media_type.h"
#include "common/base/try.h"

namespace hearsay::api {
namespace {

constexpr std::string_view kFormat = "format";

bool takes_json(Call call) {
  return call == Call::kCreateTask || call == Call::kEstimate || call == Call::kMakeBackup;
}

}  // namespace

Result<void> check_head(Call call, const http::HttpRequest& request) {
  if (call == Call::kGetTally) {
    HEARSAY_TRY(const Parameters parameters, parse_parameters(request.query, {kFormat}));
    const auto format = parameters.find(kFormat);
    if (format != parameters.end() && format->second != "csv" && format->second != "json") {
      return Error{ErrorCode::kInvalidArgument, "the query parameter 'format' must be csv or json"};
    }
  } else if (const auto none = parse_parameters(request.query, {}); !none) {
    return none.error();
  }
  const bool has_body = request.body_size.value_or(0) > 0 || !request.body.empty();
  if (has_body && takes_json(call) && !means_media_type(request.content_type, kJsonMediaType)) {
    return Error{ErrorCode::kUnsupportedMediaType,
                 "this call takes JSON: send Content-Type: " + std::string(kJsonMediaType)};
  }
  return {};
}

bool wants_csv(const http::HttpRequest& request) {
  const auto parameters = parse_parameters(request.query, {kFormat});
  if (parameters && parameters->contains(kFormat)) return parameters->at(kFormat) == "csv";
  return request.accept.starts_with("text/csv");
}

}  // namespace hearsay::api
