#include "hearsay/clock.h"

namespace hearsay {
namespace {

class SystemClock final : public Clock {
 public:
  UnixSeconds now() override {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<UnixSeconds>(std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count());
  }
  std::chrono::milliseconds steady() override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch());
  }
  void wait(std::chrono::milliseconds duration, Cancellation& cancellation) override {
    cancellation.wait_for(duration);
  }
};

}  // namespace

std::unique_ptr<Clock> make_system_clock() { return std::make_unique<SystemClock>(); }

}  // namespace hearsay
