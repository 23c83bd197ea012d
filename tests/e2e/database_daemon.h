// For tests: daemons on PostgreSQL databases, tasks and reports for these daemons, and what their logs and metrics say.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "aggregator/store/postgres/postgres.h"
#include "tests/e2e/aggregator.h"
#include "tests/support/postgres_server.h"

namespace hearsay::e2e {

using tests::PostgresServer;

// Makes a database with the store's tables. Returns the database's URI.
inline std::string make_database(PostgresServer& server) {
  std::string uri = server.uri(server.create_database());
  const auto migrated = store::postgres::migrate({.uri = uri, .allow_lossy_server = true});
  if (!migrated) FAIL(migrated.error().message);
  return uri;
}

// A daemon on the databases of `uri`. `adjust` may change the configuration before each start.
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

// Returns a task that began yesterday, with windows of `precision` seconds.
inline Task task_of_today(const std::string& title, std::uint64_t precision = tests::kDay) {
  const UnixSeconds now = make_system_clock()->now();
  return Task::create({title, tests::schema_of("b"), LiteralsSpec{}, LaplaceSpec{LaplaceCalibration::kTight, {}},
                       Epsilon::parse("1").value(), now - now % tests::kDay - tests::kDay, 10 * tests::kDay, precision,
                       1})
      .value();
}

// Returns a report whose id is the number.
inline Report numbered(const Task& task, std::uint32_t number, UnixSeconds time) {
  Report report{{}, time, {}};
  for (std::size_t i = 0; i < 4; ++i) report.id.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  const auto& channel = std::get<LaplaceChannel>(task.channel().kind());
  report.payload.resize(channel.payload_size());
  channel.pack(std::vector<std::int32_t>(channel.coordinates(), 0), report.payload);
  return report;
}
// Returns a report whose id is the number, for the task's first window.
inline Report numbered(const Task& task, std::uint32_t number) {
  return numbered(task, number, task.spec().task_start);
}

inline std::uint64_t counted(const Aggregator& aggregator, const Task& task) {
  std::uint64_t reports = 0;
  const Json tally = parse_json(aggregator.tally(task)).value();
  for (const Json& window : tally.at("windows")) reports += window.at("reports").get<std::uint64_t>();
  return reports;
}

inline Json reasons(const Aggregator& aggregator) {
  return parse_json(aggregator.ask("GET", "/readyz").body)->at("reasons");
}

// Returns how often the daemon logged the event.
inline int told(const Aggregator& aggregator, const std::string& event) {
  const std::string all = aggregator.log_lines.str();
  int times = 0;
  for (std::size_t at = 0; (at = all.find("\"event\":\"" + event + "\"", at)) != std::string::npos; ++at) ++times;
  return times;
}

// Returns the value of the metric for the daemon's only database.
inline double of_database(const Aggregator& aggregator, const std::string& name) {
  const std::string body = aggregator.ask("GET", "/metrics").body;
  const std::size_t line = body.find("\nhearsay_database_" + name + "{database=\"database ");
  if (line == std::string::npos) FAIL(body);
  return std::stod(body.substr(body.find("} ", line) + 2));
}

}  // namespace hearsay::e2e
