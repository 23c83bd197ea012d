#include "hearsay/clock.h"

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

std::unique_ptr<Clock> make_system_clock() { return std::make_unique<SystemClock>(); }

}  // namespace hearsay
