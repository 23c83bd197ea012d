// An endless stream of reports, for the benchmarks of stores.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/store/store.h"
#include "common/channel/channel.h"
#include "common/random/bit_source.h"
#include "common/report/report.h"
#include "hearsay/task.h"

namespace hearsay::tests {

inline constexpr std::size_t kPayloads = 4096;

inline Task task_of(int attributes, ArrangementSpec arrangement, ChannelSpec channel) {
  std::vector<Attribute> fields;
  for (int i = 0; i < attributes; ++i) fields.push_back(Attribute::boolean("a" + std::to_string(i)).value());
  return Task::create({.title = "bench",
                       .schema = Schema::create(std::move(fields)).value(),
                       .arrangement = std::move(arrangement),
                       .channel = std::move(channel),
                       .epsilon = Epsilon::parse("1").value(),
                       .task_start = 1'767'225'600,
                       .task_duration = 86'400,
                       .time_precision = 3600})
      .value();
}

// Returns a task over 16 booleans, with characters of order 2. A report answers about one attribute or about the pairs
// of three attributes.
inline Task sampled16() {
  return task_of(16, CharactersSpec{2}, SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kEven, 3, 4}}});
}
inline Task laplace64() { return task_of(64, LiteralsSpec{}, LaplaceSpec{}); }

// Makes reports whose ids are all different.
class Reports {
 public:
  explicit Reports(const Task& task) : task_(task) {
    const Record record = Record::create(task.schema(), std::vector<std::uint32_t>(task.schema().size())).value();
    for (std::size_t i = 0; i < kPayloads; ++i) {
      payloads_.push_back(task.channel().randomize(task.arrangement(), record, system_bit_source()));
    }
  }
  void next(std::vector<store::Submission>& batch) {
    encodings_.resize(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Report report{next_id(), task_.spec().task_start, payloads_[made_ % kPayloads]};
      encodings_[i].clear();
      append_report(report, encodings_[i]);
      batch[i] = {&task_, {report.id, report.time, payloads_[made_ % kPayloads]}, encodings_[i]};
    }
  }
  ReportId next_id() {
    std::uint64_t mixed = ++made_ * 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ mixed >> 30U) * 0xbf58476d1ce4e5b9U;
    mixed ^= mixed >> 29U;
    ReportId id{};
    std::memcpy(id.bytes.data(), &mixed, sizeof(mixed));
    std::memcpy(id.bytes.data() + sizeof(mixed), &made_, sizeof(made_));
    return id;
  }

 private:
  Task task_;
  std::vector<std::vector<std::uint8_t>> payloads_;
  std::vector<std::vector<std::uint8_t>> encodings_;
  std::uint64_t made_ = 0;
};

}  // namespace hearsay::tests
