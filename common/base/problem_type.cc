#include "common/base/problem_type.h"

namespace hearsay {

std::string problem_type(ErrorCode code) { return "urn:hearsay:error:" + std::string(error_name(code)); }

std::string_view problem_name(std::string_view type) { return type.substr(type.rfind(':') + 1); }

Json error_json(const Error& error) { return {{"detail", error.message}, {"type", problem_type(error.code)}}; }

}  // namespace hearsay
