#include "aggregator/api/head_check.h"

#include <string>

#include "aggregator/api/parameters.h"
#include "aggregator/api/tally_export.h"
#include "common/base/media_type.h"
#include "common/base/try.h"

namespace hearsay::api {
namespace {

bool takes_json(Call call) { return call == Call::kCreateTask || call == Call::kEstimate || call == Call::kMakeBackup; }

}  // namespace

Result<void> check_head(Call call, const http::HttpRequest& request) {
  if (call == Call::kGetTally) {
    HEARSAY_CHECK_OK(parse_tally_export(request.query, request.accept));
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

}  // namespace hearsay::api
