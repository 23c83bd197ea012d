#include "aggregator/compiler/work.h"

#include <limits>
#include <string>

namespace hearsay::compiler {
namespace {

constexpr std::uint64_t kStepsPerLook = std::uint64_t{1} << 16U;

WorkStopped cancelled() { return WorkStopped({ErrorCode::kCancelled, "nobody waits for the answer any more"}); }

WorkStopped too_costly(const std::string& takes, const std::string& budget, std::string_view remedy) {
  return WorkStopped({ErrorCode::kLimitExceeded, "the question takes " + takes + ", more than the " + budget +
                                                     " that one question may take: " + std::string(remedy)});
}

std::string millions(std::uint64_t number) { return std::to_string((number >> 20U) + 1); }

}  // namespace

void Work::foresee(Cost cost, std::string_view remedy) const {
  if (stop_.stop_requested()) throw cancelled();
  if (cost.bytes > budget_.bytes) {
    throw too_costly("about " + millions(cost.bytes) + " MiB of memory", millions(budget_.bytes - 1) + " MiB", remedy);
  }
  if (spent_ > budget_.steps || cost.steps > budget_.steps - spent_) {
    throw too_costly("about " + millions(cost.steps) + " million steps", millions(budget_.steps - 1) + " million",
                     remedy);
  }
}

void Work::look() {
  if (stop_.stop_requested()) throw cancelled();
  if (spent_ > budget_.steps) {
    throw too_costly("more steps than foreseen", millions(budget_.steps - 1) + " million",
                     "ask about fewer attributes, with fewer conditions");
  }
  next_look_ = spent_ + kStepsPerLook;
}

std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > kMost / b ? kMost : a * b;
}

}  // namespace hearsay::compiler
