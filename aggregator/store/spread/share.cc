#include "aggregator/store/spread/share.h"

#include <functional>

namespace hearsay::store::spread {
namespace {

// Returns true if `payload` is a view into `encoded`.
bool lies_within(std::span<const std::uint8_t> payload, std::span<const std::uint8_t> encoded) {
  const std::less_equal<> at_most;
  return at_most(encoded.data(), payload.data()) &&
         at_most(payload.data() + payload.size(), encoded.data() + encoded.size());
}

}  // namespace

Share::Share(std::span<const Submission> all, std::vector<std::size_t> numbers)
    : outcomes(numbers.size(), AppendOutcome::kUnavailable), numbers_(std::move(numbers)) {
  std::size_t size = 0;
  for (const std::size_t i : numbers_) {
    size += all[i].encoded.size();
    if (!lies_within(all[i].report.payload, all[i].encoded)) size += all[i].report.payload.size();
  }
  bytes_.reserve(size);  // so the bytes do not move while copies are added
  submissions_.reserve(numbers_.size());
  const Task* original = nullptr;
  const Task* task = nullptr;
  for (const std::size_t i : numbers_) {
    const Submission& from = all[i];
    if (from.task != original) {
      original = from.task;
      task = &tasks_.try_emplace(original, *original).first->second;
    }
    Submission to{task, from.report, copy(from.encoded)};
    to.report.payload =
        lies_within(from.report.payload, from.encoded)
            ? to.encoded.subspan(static_cast<std::size_t>(from.report.payload.data() - from.encoded.data()),
                                 from.report.payload.size())
            : copy(from.report.payload);
    submissions_.push_back(to);
  }
}

std::span<const std::uint8_t> Share::copy(std::span<const std::uint8_t> bytes) {
  const std::size_t begin = bytes_.size();
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return std::span(bytes_).subspan(begin);
}

}  // namespace hearsay::store::spread
