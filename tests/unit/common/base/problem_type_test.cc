#include "common/base/problem_type.h"

#include <doctest/doctest.h>

namespace hearsay {
namespace {

TEST_CASE("a problem type of Hearsay gives its name, and any other type gives none") {
  CHECK(problem_name(problem_type(ErrorCode::kUnrecognizedTask)) == "unrecognizedTask");
  CHECK(problem_name(problem_type(ErrorCode::kLimitExceeded)) == "limit_exceeded");
  CHECK(problem_name("urn:hearsay:error:of-" + std::string(61, 'a')).size() == 64);
  for (const char* other : {"", "about:blank", "limit_exceeded", "urn:other:error:limit_exceeded",
                            "urn:hearsay:error:", "https://example.org/urn:hearsay:error:limit_exceeded",
                            "urn:hearsay:error:a:b", "urn:hearsay:error:\x1b[2J", "urn:hearsay:error:\xc3\xa4"}) {
    CAPTURE(other);
    CHECK(problem_name(other).empty());
  }
  CHECK(problem_name("urn:hearsay:error:" + std::string(65, 'a')).empty());
}

}  // namespace
}  // namespace hearsay
