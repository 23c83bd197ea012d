#include "examples/simulation/progress.h"

#include <doctest/doctest.h>

#include <string>

namespace hearsay::examples {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("the time left follows the rate of the last seconds, not of the slow beginning") {
  const Pace::Clock::time_point start{};
  Pace pace(start);
  // 10 reports in the first 5 seconds, then 10,000 reports a second.
  std::size_t done = 0;
  std::string words;
  for (int tenth = 1; tenth <= 150; ++tenth) {
    done = tenth <= 50 ? static_cast<std::size_t>(tenth) / 5 : done + 1000;
    words = pace.note(start + milliseconds(100 * tenth), done, 200'010);
    if (tenth < 30) CHECK(words.empty());
  }
  CHECK(done == 100'010);
  CHECK(words == ", 10000/s, 10 s left");
  CHECK(pace.whole(start + seconds(25), 200'010) == " in 25 s, 8000/s");
}

TEST_CASE("before the first finished report, the remaining time is not shown") {
  const Pace::Clock::time_point start{};
  Pace pace(start);
  for (int second = 1; second < 20; ++second) CHECK(pace.note(start + seconds(second), 0, 100).empty());
  CHECK(pace.whole(start, 0) == " in 0 s");
}

}  // namespace
}  // namespace hearsay::examples
