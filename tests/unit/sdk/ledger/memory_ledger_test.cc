#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "hearsay/ledger.h"

namespace hearsay::sdk {
namespace {

Epsilon epsilon(const char* text) { return Epsilon::parse(text).value(); }

TEST_CASE("ten tenths fit into one, an eleventh does not") {
  const auto ledger = make_memory_ledger(epsilon("1"));
  for (int i = 0; i < 10; ++i) CHECK(ledger->debit(epsilon("0.1")));
  const auto eleventh = ledger->debit(epsilon("0.1"));
  REQUIRE(!eleventh);
  CHECK(eleventh.error().code == ErrorCode::kBudgetExhausted);
}

TEST_CASE("a refused debit costs nothing") {
  const auto ledger = make_memory_ledger(epsilon("1"));
  CHECK(!ledger->debit(epsilon("1.000001")));
  CHECK(ledger->debit(epsilon("0.999999")));
  CHECK(!ledger->debit(epsilon("0.000002")));
  CHECK(ledger->debit(epsilon("0.000001")));
}

TEST_CASE("concurrent debits never exceed the budget") {
  const auto ledger = make_memory_ledger(epsilon("1"));
  std::atomic<int> granted{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) granted += ledger->debit(epsilon("0.01")) ? 1 : 0;
      });
    }
  }
  CHECK(granted == 100);
}

}  // namespace
}  // namespace hearsay::sdk
