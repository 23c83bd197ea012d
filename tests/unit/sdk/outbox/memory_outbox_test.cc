#include <doctest/doctest.h>

#include "hearsay/outbox.h"

namespace hearsay::sdk {
namespace {

TEST_CASE("reports stay in order until they are acknowledged, each once") {
  const auto outbox = make_memory_outbox();
  CHECK(outbox->pending().empty());
  REQUIRE(outbox->put({1}));
  REQUIRE(outbox->put({2, 2}));
  REQUIRE(outbox->put({1}));
  CHECK(outbox->pending() == std::vector<ReportBytes>{{1}, {2, 2}});
  REQUIRE(outbox->acknowledge({1}));
  CHECK(outbox->pending() == std::vector<ReportBytes>{{2, 2}});
  REQUIRE(outbox->acknowledge({3}));
  CHECK(outbox->pending().size() == 1);
}

}  // namespace
}  // namespace hearsay::sdk
