#include "aggregator/cli/rehearsal_task.h"

#include <array>
#include <string>

#include "common/base/encoding.h"
#include "common/random/bit_source.h"
#include "hearsay/clock.h"

namespace hearsay::cli {

TaskSpec for_rehearsal(TaskSpec spec, std::size_t windows) {
  constexpr UnixSeconds kDay = 86'400;
  constexpr std::size_t kLongestTitle = 256;
  std::array<std::uint8_t, 8> mark{};
  system_bit_source().fill(mark);
  std::string title = "rehearsal " + hex_encode(mark);
  if (!spec.title.empty() && title.size() + 2 + spec.title.size() <= kLongestTitle) title += ": " + spec.title;
  spec.title = std::move(title);
  const UnixSeconds now = make_system_clock()->now();
  spec.task_start = now - now % spec.time_precision - (windows - 1) * spec.time_precision;
  spec.task_duration = spec.time_precision * (windows + (kDay + spec.time_precision - 1) / spec.time_precision);
  if (windows > 1) spec.report_expiry_age = 0;
  return spec;
}

}  // namespace hearsay::cli
