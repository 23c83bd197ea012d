#include "examples/simulation/random_databases.h"

#include <doctest/doctest.h>

namespace hearsay::examples {
namespace {

TEST_CASE("a promise is refuted only if chance does not explain the misses") {
  const planner::Target target{.alpha = 0.1, .beta = 0.05};
  // If the true frequency is 0.05, 9 databases give 4 misses or more with probability 6.4e-4, and 3 or more with
  // 8.4e-3.
  for (const std::size_t misses : {0U, 1U, 3U}) {
    const Verdict verdict = verdict_on(misses, 9, target).value();
    CHECK_FALSE(verdict.refuted);
    CHECK(verdict.text.starts_with(std::to_string(9 - misses) + " of 9 errors are at most 0.1."));
    CHECK(verdict.text.ends_with("do not contradict the promise."));
  }
  for (const std::size_t misses : {4U, 9U}) {
    const Verdict verdict = verdict_on(misses, 9, target).value();
    CHECK(verdict.refuted);
    CHECK(verdict.text.ends_with("contradict the promise."));
    CHECK(verdict.text.find("do not") == std::string::npos);
  }
  CHECK(verdict_on(0, 0, target).error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hearsay::examples
