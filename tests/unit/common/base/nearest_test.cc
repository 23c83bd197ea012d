#include "common/base/nearest.h"

#include <doctest/doctest.h>

namespace hearsay {
namespace {

TEST_CASE("nearest() finds misspellings and beginnings, and no other word") {
  const std::vector<std::string> commands{"task", "design", "plan", "estimate", "audit", "verify", "token"};
  CHECK(nearest("plann", commands) == "plan");
  CHECK(nearest("lan", commands) == "plan");
  CHECK(nearest("tsak", commands) == "task");  // two neighbouring letters are exchanged
  CHECK(nearest("estiamte", commands) == "estimate");
  CHECK(nearest("est", commands) == "estimate");
  CHECK(nearest("tokens", commands) == "token");
  CHECK(nearest("help", commands).empty());
  CHECK(nearest("x", commands).empty());
  CHECK(nearest("", commands).empty());
  CHECK(nearest(std::string(1'000'000, 'p'), commands).empty());
  CHECK(nearest("plan", {}).empty());
}

TEST_CASE("did_you_mean() returns the nearest word, or nothing") {
  CHECK(did_you_mean("plann", {"plan", "task"}) == "; did you mean 'plan'?");
  CHECK(did_you_mean("x", {"plan"}).empty());
  // A schema has at most this many candidates. The search through them is fast.
  CHECK(did_you_mean(std::string(64, 'a'), std::vector<std::string>(1U << 20U, std::string(90, 'b'))).empty());
}

}  // namespace
}  // namespace hearsay
