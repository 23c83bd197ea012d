// Daemons on PostgreSQL databases, and reports for them.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "aggregator/store/postgres/postgres.h"
#include "tests/e2e/aggregator.h"
#include "tests/support/postgres_server.h"

namespace hearsay::e2e {

using tests::PostgresServer;

// A database with the schema.
inline std::string make_database(PostgresServer& server) {
  std::string uri = server.uri(server.create_database());
  const auto migrated = store::postgres::migrate({.uri = uri, .allow_lossy_server = true});
  if (!migrated) FAIL(migrated.error().message);
  return uri;
}

// A daemon on the databases, whose clock is theirs. `adjust` as for an Aggregator.
struct Sharing : Aggregator {
  Sharing(const std::string& uri, const std::string& instance,
          const std::function<void(daemon::DaemonConfig&)>& adjust = {})
      : Aggregator([this, uri, instance, adjust](daemon::DaemonConfig& config) {
          clock.set(make_system_clock()->now());
          config.store = uri;
          config.instance = instance;
          config.allow_lossy_database = true;
          if (adjust) adjust(config);
        }) {}
};

// With windows of `precision` seconds; began yesterday.
inline Task task_of_today(const std::string& title, std::uint64_t precision = tests::kDay) {
  const UnixSeconds now = make_system_clock()->now();
  return Task::create({title, tests::schema_of("b"), LiteralsSpec{}, LaplaceSpec{LaplaceCalibration::kTight, {}},
                       Epsilon::parse("1").value(), now - now % tests::kDay - tests::kDay, 10 * tests::kDay, precision,
                       1})
      .value();
}

// The report of this number, of this time.
inline Report numbered(const Task& task, std::uint32_t number, UnixSeconds time) {
  Report report{{}, time, {}};
  for (std::size_t i = 0; i < 4; ++i) report.id.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  const auto& channel = std::get<LaplaceChannel>(task.channel().kind());
  report.payload.resize(channel.payload_size());
  channel.pack(std::vector<std::int32_t>(channel.coordinates(), 0), report.payload);
  return report;
}
// The same, of the task's first window.
inline Report numbered(const Task& task, std::uint32_t number) {
  return numbered(task, number, task.spec().task_start);
}

inline std::uint64_t counted(const Aggregator& aggregator, const Task& task) {
  std::uint64_t reports = 0;
  const Json tally = parse_json(aggregator.tally(task)).value();
  for (const Json& window : tally.at("windows")) reports += window.at("reports").get<std::uint64_t>();
  return reports;
}

}  // namespace hearsay::e2e
