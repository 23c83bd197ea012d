#include "sdk/c_api/limits.h"

#include "common/base/try.h"
#include "sdk/c_api/boundary.h"

namespace hearsay::c_api {

Result<TaskLimits> limits_of(const hearsay_limits* limits) {
  HEARSAY_TRY(const hearsay_limits given, struct_of(limits, "limits"));
  HEARSAY_TRY(const std::string_view most,
              required_text(given.max_epsilon, given.max_epsilon_size, "limits.max_epsilon"));
  HEARSAY_TRY(const Epsilon max_epsilon, Epsilon::parse(most));
  TaskLimits ours{max_epsilon, {}};
  HEARSAY_TRY(const std::string_view json, text_of(given.schema, given.schema_size, "limits.schema"));
  if (given.schema != nullptr) {
    HEARSAY_TRY(Schema schema, Schema::parse(json));
    ours.schemas.push_back(std::move(schema));
  }
  return ours;
}

}  // namespace hearsay::c_api
