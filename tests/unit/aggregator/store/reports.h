// What the tests of all stores share: tasks, reports, expected tallies, and the contents of a store.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "aggregator/store/store.h"
#include "aggregator/tally/tally.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/report/report.h"
#include "hearsay/task.h"

namespace hearsay::store::tests {

inline constexpr std::uint64_t kPrecision = 3600;
inline constexpr UnixSeconds kStart = 472'000 * kPrecision;
inline constexpr std::uint64_t kWindows = 1000;

// Returns a task of `attributes` booleans at ε = 1 over kWindows windows. Tasks with different names have different
// ids.
inline Task make_task(const std::string& name = "first", std::size_t attributes = 4) {
  std::vector<Attribute> fields;
  for (std::size_t i = 0; i < attributes; ++i) fields.push_back(Attribute::boolean("a" + std::to_string(i)).value());
  auto task = Task::create({name, Schema::create(std::move(fields)).value(), LiteralsSpec{}, LaplaceSpec{},
                            Epsilon::parse("1").value(), kStart, kWindows * kPrecision, kPrecision, 1});
  REQUIRE(task);
  return *task;
}

inline Task aging_task(std::uint64_t age, const std::string& name = "aging") {
  TaskSpec spec = make_task(name).spec();
  spec.report_expiry_age = age;
  return *Task::create(spec);
}

// Returns report `number` of a window. The number gives the id and the coordinates.
inline Report make_report(const Task& task, std::uint64_t number, std::uint64_t window = 0) {
  Report report{{}, kStart + window * kPrecision, {}};
  std::uint64_t mixed = number;
  for (std::uint8_t& byte : report.id.bytes) {
    mixed = (mixed ^ mixed >> 31U) * 0x9e3779b97f4a7c15U + number;
    byte = static_cast<std::uint8_t>(mixed >> 56U);
  }
  const auto& channel = std::get<LaplaceChannel>(task.channel().kind());
  std::vector<std::int32_t> y(channel.coordinates());
  for (std::size_t j = 0; j < y.size(); ++j) {
    const std::int64_t bound = channel.bound(j);
    y[j] = static_cast<std::int32_t>(static_cast<std::int64_t>((number * 7919 + j * 31) % (2 * bound + 1)) - bound);
  }
  report.payload.resize(channel.payload_size());
  channel.pack(y, report.payload);
  return report;
}

inline std::vector<Report> make_reports(const Task& task, std::uint64_t from, std::uint64_t to,
                                        std::uint64_t windows = 1) {
  std::vector<Report> reports;
  for (std::uint64_t i = from; i < to; ++i) reports.push_back(make_report(task, i, i % windows));
  return reports;
}

class Encoded {
 public:
  explicit Encoded(const Report& report) : report_(report) { append_report(report, bytes_); }
  Submission to(const Task& task) const { return {&task, {report_.id, report_.time, report_.payload}, bytes_}; }

 private:
  Report report_;
  std::vector<std::uint8_t> bytes_;
};

inline Result<std::vector<AppendOutcome>> append(Store& store, const std::vector<Submission>& submissions) {
  std::vector<AppendOutcome> outcomes(submissions.size());
  HEARSAY_CHECK_OK(store.append(submissions, outcomes));
  return outcomes;
}

inline Result<std::vector<AppendOutcome>> append(Store& store, const Task& task, const std::vector<Report>& reports) {
  std::vector<Submission> submissions;
  const std::vector<Encoded> encoded(reports.begin(), reports.end());
  for (const Encoded& report : encoded) submissions.push_back(report.to(task));
  return append(store, submissions);
}

// Appends reports. Each report must be new.
inline void append_new(Store& store, const Task& task, const std::vector<Report>& reports) {
  const auto outcomes = append(store, task, reports);
  REQUIRE(outcomes);
  REQUIRE(*outcomes == std::vector<AppendOutcome>(reports.size(), AppendOutcome::kAccepted));
}

// Seals the windows that have expired. Returns the number of reports that were forgotten.
inline std::uint64_t forget_expired(Store& store, UnixSeconds now) {
  const Expiry done = store.expire(now);
  if (done.failure) FAIL(done.failure->message);
  return done.forgotten;
}

inline tally::Tally tally_of(const Task& task, const std::vector<Report>& reports) {
  tally::Tally tally = tally::Tally::empty(task.channel());
  for (const Report& report : reports) REQUIRE(tally.add(task.channel(), report.payload));
  return tally;
}

inline tally::Tally whole_tally(const Store& store, const Task& task) {
  auto tally = store.tally(task, {});
  REQUIRE(tally);
  return *tally;
}

inline std::vector<std::pair<UnixSeconds, tally::Tally>> window_tallies(const Store& store, const Task& task) {
  std::vector<std::pair<UnixSeconds, tally::Tally>> tallies;
  const auto reader = store.read_tallies(task);
  for (;;) {
    const auto part = reader->next();
    if (!part) FAIL(part.error().message);
    if (!*part) return tallies;
    if (tallies.empty() || tallies.back().first != (*part)->window) {
      tallies.emplace_back((*part)->window, tally::Tally::empty(task.channel()));
    }
    REQUIRE(tallies.back().second.merge((*part)->tally));
  }
}

using StoredReports = std::map<std::pair<UnixSeconds, ReportId>, Report>;

inline StoredReports stored_reports(const Store& store, const Task& task) {
  StoredReports reports;
  REQUIRE(store.for_each_report(task, [&](const ReportView& report) -> Result<void> {
    const Report copy{report.id, report.time, {report.payload.begin(), report.payload.end()}};
    REQUIRE(reports.emplace(std::pair(report.time, report.id), copy).second);
    return {};
  }));
  return reports;
}

inline std::uint64_t verified_reports(const Store& store) {
  const auto result = verify(store);
  if (!result) FAIL(result.error().message);
  for (const std::string& difference : result->differences) FAIL_CHECK(difference);
  return result->reports;
}

}  // namespace hearsay::store::tests
