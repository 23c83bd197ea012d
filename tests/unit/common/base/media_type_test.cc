#include "common/base/media_type.h"

#include <doctest/doctest.h>

namespace hearsay {
namespace {

TEST_CASE("a media type is recognised, whatever its case and parameters") {
  for (const char* same : {"application/json", "APPLICATION/Json", "application/json;charset=utf-8",
                           "application/json \t; charset=utf-8"}) {
    CAPTURE(same);
    CHECK(means_media_type(same, kJsonMediaType));
  }
  for (const char* other : {"", ";", "application", "application/jso", "application/jsonx", " application/json",
                            "application/json, text/plain", "text/json", "application/problem+json"}) {
    CAPTURE(other);
    CHECK(!means_media_type(other, kJsonMediaType));
  }
}

}  // namespace
}  // namespace hearsay
