#include "common/base/clock.h"

#include <thread>

namespace hearsay {
namespace {

class SystemClock final : public Clock {
 public:
  UnixSeconds now() override {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<UnixSeconds>(std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count());
  }
  void sleep(std::chrono::milliseconds duration) override { std::this_thread::sleep_for(duration); }
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace hearsay
