#include "hearsay/cancellation.h"

#include <doctest/doctest.h>

#include <thread>

#include "hearsay/clock.h"
#include "tests/support/patience.h"

namespace hearsay {
namespace {

using std::chrono::milliseconds;

TEST_CASE("a wait ends after its time or at the request, whichever comes first") {
  Cancellation cancellation;
  CHECK_FALSE(cancellation.requested());
  CHECK_FALSE(cancellation.wait_for(milliseconds(1)));
  std::jthread other([&] {
    std::this_thread::sleep_for(milliseconds(10));
    cancellation.request();
    cancellation.request();
  });
  CHECK(cancellation.wait_for(milliseconds::max()));  // would last for ever without the request of the other thread
  CHECK(cancellation.requested());
  CHECK(cancellation.wait_for(milliseconds::max()));
}

TEST_CASE("the request calls a hook once, if the hook still exists") {
  Cancellation cancellation;
  int first = 0;
  int second = 0;
  const Cancellation::Hook kept(&cancellation, [&] { ++first; });
  {
    const Cancellation::Hook gone(&cancellation, [&] { ++second; });
  }
  const Cancellation::Hook of_nothing(nullptr, [&] { ++second; });
  cancellation.request();
  cancellation.request();
  const Cancellation::Hook late(&cancellation, [&] { ++second; });
  CHECK(first == 1);
  CHECK(second == 0);
}

TEST_CASE("a wait by the system's clock can be cancelled, and the clock counts steadily") {
  const auto clock = make_system_clock();
  const milliseconds before = clock->steady();
  Cancellation cancellation;
  clock->wait(milliseconds(2), cancellation);
  CHECK(clock->steady() - before >= milliseconds(1));  // both times are rounded down
  std::jthread other([&] { cancellation.request(); });
  clock->wait(tests::kPatience * 100, cancellation);
}

}  // namespace
}  // namespace hearsay
