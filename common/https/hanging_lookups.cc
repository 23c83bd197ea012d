#include "common/https/hanging_lookups.h"

#include <utility>

namespace hearsay::https {

HangingLookups& HangingLookups::of_process() {
  static auto& lookups = *new HangingLookups;
  return lookups;
}

std::size_t HangingLookups::size() {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

void HangingLookups::keep(Multi multi, std::unique_ptr<Exchange> exchange) {
  const std::lock_guard lock(mutex_);
  exchange->abandon();
  kept_.push_back({std::move(multi), std::move(exchange)});
}

void HangingLookups::sweep() {
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [](Kept& kept) {
    int running = 0;
    curl_multi_perform(kept.multi.get(), &running);
    if (running == 0) curl_multi_remove_handle(kept.multi.get(), kept.exchange->handle());
    return running == 0;
  });
}

}  // namespace hearsay::https
