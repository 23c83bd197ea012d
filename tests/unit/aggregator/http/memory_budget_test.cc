#include "aggregator/http/memory_budget.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace hearsay::http {
namespace {

using Limit = MemoryBudget::Limit;
using Use = MemoryBudget::Use;

MemoryBudget::Client stranger(unsigned char number) { return {{4, number}, false}; }
constexpr MemoryBudget::Client kTrusted{{4, 1}, true};

TEST_CASE(
    "one address gets its share, all untrusted clients together get three quarters, and trusted clients get the rest") {
  MemoryBudget budget(800, 200);
  CHECK(budget.take(stranger(1), 200, Use::kBody) == Limit::kNone);
  CHECK(budget.take(stranger(1), 1, Use::kBody) == Limit::kAddress);
  CHECK(budget.take(stranger(2), 201, Use::kBody) == Limit::kAddress);
  CHECK(budget.take(stranger(2), 200, Use::kBody) == Limit::kNone);
  CHECK(budget.take(stranger(3), 200, Use::kBody) == Limit::kNone);
  CHECK(budget.pressure() == 1);
  CHECK(budget.take(stranger(4), 1, Use::kBody) == Limit::kTotal);
  // The address of this trusted client has used up its share.
  CHECK(budget.take(kTrusted, 200, Use::kBody) == Limit::kNone);
  CHECK(budget.take(kTrusted, 1, Use::kBody) == Limit::kTotal);
  CHECK(budget.refusals(Limit::kAddress) == 2);
  CHECK(budget.refusals(Limit::kTotal) == 2);
  CHECK(budget.held(Use::kBody) == 800);
  budget.give_back(stranger(2), 100, Use::kBody);
  CHECK(budget.take(stranger(4), 100, Use::kBody) == Limit::kNone);
  CHECK(budget.take(stranger(2), 1, Use::kBody) == Limit::kTotal);
}

TEST_CASE("a body must be within the limits, but an answer may exceed them, and then no new body begins") {
  MemoryBudget budget(800, 200);
  REQUIRE(budget.take(stranger(1), 200, Use::kBody) == Limit::kNone);
  CHECK(budget.beyond(stranger(1)) == Limit::kNone);
  budget.add(stranger(1), 1, Use::kAnswer);
  CHECK(budget.beyond(stranger(1)) == Limit::kAddress);
  CHECK(budget.beyond(stranger(2)) == Limit::kNone);
  CHECK(budget.beyond(kTrusted) == Limit::kNone);
  budget.add(stranger(2), 1'000, Use::kAnswer);
  CHECK(budget.beyond(stranger(3)) == Limit::kTotal);
  CHECK(budget.pressure() > 1);
  // A trusted client has the trusted quarter, even if other clients hold too much.
  CHECK(budget.beyond(kTrusted) == Limit::kNone);
  CHECK(budget.take(kTrusted, 200, Use::kBody) == Limit::kNone);
  CHECK(budget.take(kTrusted, 1, Use::kBody) == Limit::kTotal);
  CHECK(budget.held(Use::kAnswer) == 1'001);
  budget.give_back(stranger(2), 1'000, Use::kAnswer);
  budget.give_back(stranger(1), 1, Use::kAnswer);
  CHECK(budget.beyond(stranger(1)) == Limit::kNone);
  CHECK(budget.held(Use::kAnswer) == 0);
}

TEST_CASE("sums of sizes near the largest integer do not overflow") {
  MemoryBudget budget(100, 1'000);
  CHECK(budget.take(stranger(1), ~std::size_t{0}, Use::kBody) == Limit::kTotal);
  REQUIRE(budget.take(stranger(1), 10, Use::kBody) == Limit::kNone);
  CHECK(budget.take(stranger(1), ~std::size_t{0}, Use::kBody) == Limit::kTotal);
  CHECK(budget.held(Use::kBody) == 10);
}

TEST_CASE("when a share of the memory ends, the budget gets all bytes of the share back") {
  const auto budget = std::make_shared<MemoryBudget>(400, 100);
  {
    MemoryShare share(budget, stranger(1).address, Use::kBody);
    CHECK(share.resize(100) == Limit::kNone);
    CHECK(share.resize(101) == Limit::kAddress);
    CHECK(budget->held(Use::kBody) == 100);
    share.trust(true);
    CHECK(share.resize(300) == Limit::kNone);
    CHECK(budget->take(stranger(1), 100, Use::kBody) == Limit::kNone);
    CHECK(share.resize(301) == Limit::kTotal);
    share.trust(false);
    CHECK(budget->beyond(stranger(1)) == Limit::kAddress);
    CHECK(share.resize(50) == Limit::kNone);
    share.add(7);
    CHECK(budget->held(Use::kBody) == 157);
  }
  CHECK(budget->held(Use::kBody) == 100);
  budget->give_back(stranger(1), 100, Use::kBody);
  CHECK(budget->pressure() == 0);
}

TEST_CASE("the budget is exact when several threads use it") {
  const auto budget = std::make_shared<MemoryBudget>(1'000, 300);
  std::vector<std::thread> threads;
  for (unsigned char t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 2'000; ++i) {
        MemoryShare body(budget, stranger(t).address, Use::kBody);
        MemoryShare answer(budget, stranger(t).address, Use::kAnswer);
        body.trust(i % 3 == 0);
        static_cast<void>(body.resize(i % 400));
        if (budget->beyond(body.client()) == Limit::kNone) answer.add(i % 50);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(budget->held(Use::kBody) == 0);
  CHECK(budget->held(Use::kAnswer) == 0);
  CHECK(budget->pressure() == 0);
}

}  // namespace
}  // namespace hearsay::http
