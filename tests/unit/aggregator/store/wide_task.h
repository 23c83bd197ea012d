// A task whose reports may have many more (group, answer) pairs than the limit of a window.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/aggregator/store/reports.h"

namespace hearsay::store::tests {

// Returns a task with 2^14 answers to each of C(40, 14) = 23,206,929,840 groups.
inline Task wide_task(std::uint64_t report_expiry_age = 0) {
  std::vector<Attribute> fields;
  for (int i = 0; i < 40; ++i) fields.push_back(Attribute::boolean("a" + std::to_string(i)).value());
  SampledSpec sampled;
  sampled.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 14, 3}};
  TaskSpec spec = make_task("wide").spec();
  spec.schema = Schema::create(std::move(fields)).value();
  spec.arrangement = CharactersSpec{1};
  spec.channel = sampled;
  spec.report_expiry_age = report_expiry_age;
  return Task::create(spec).value();
}

// Returns report `number` with the pair number `pair`. Different small values of `pair` give different pairs.
inline Report wide_report(const Task& task, std::uint64_t number, std::uint64_t pair, std::uint64_t window = 0) {
  Report report{{}, kStart + window * kPrecision, {}};
  report.id = make_report(make_task(), number).id;
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  const auto& raw = channel.classes()[1];
  report.payload.resize(channel.payload_size());
  channel.pack(raw.first + pair * 1'000'003 % raw.count, static_cast<std::uint32_t>(pair * 7 % 16'384), report.payload);
  return report;
}

inline std::vector<Report> wide_reports(const Task& task, std::uint64_t number, std::uint64_t from, std::uint64_t to,
                                        std::uint64_t window = 0) {
  std::vector<Report> reports;
  for (std::uint64_t pair = from; pair < to; ++pair) reports.push_back(wide_report(task, number++, pair, window));
  return reports;
}

}  // namespace hearsay::store::tests
