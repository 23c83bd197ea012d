// Tries all possible payloads of small tasks, byte by byte, with the code that devices run. Every record can produce
// every accepted payload, and no other. No payload tells two records apart by more than the audit states.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/audit/audit.h"
#include "tests/support/bit_sources.h"
#include "tests/support/laplace_tasks.h"
#include "tests/support/noise_script.h"

namespace hearsay {
namespace {

using tests::laplace_of;
using tests::laplace_task;
using Bytes = std::vector<std::uint8_t>;

struct SmallTask {
  std::string shape;
  LaplaceSpec spec;
};

// At ε = 64 the bounds are single digits and payloads have at most 2 bytes.
std::vector<SmallTask> small_tasks() {
  return {{"b", {}},
          {"b b", {}},
          {"b b b", {}},
          {"c2", {}},
          {"c3", {}},
          {"r3", {}},
          {"r4", {}},
          {"b c2", {}},
          {"r2 b", {LaplaceCalibration::kTight, {1, 2}}},
          {"b", {LaplaceCalibration::kPaper, {}}},
          {"b b", {LaplaceCalibration::kPaper, {}}},
          {"r3", {LaplaceCalibration::kPaper, {}}}};
}

std::vector<Bytes> accepted_payloads(const Task& task) {
  const std::size_t size = task.channel().payload_size();
  REQUIRE(size <= 2);
  std::vector<Bytes> accepted;
  for (std::uint32_t number = 0; number < 1U << (8 * size); ++number) {
    Bytes payload = {static_cast<std::uint8_t>(number)};
    if (size == 2) payload.push_back(static_cast<std::uint8_t>(number >> 8U));
    if (task.channel().check(payload)) accepted.push_back(payload);
  }
  return accepted;
}

std::vector<std::int8_t> embed(const Task& task, const Record& record) {
  std::vector<std::int8_t> a(task.arrangement().dimension());
  task.arrangement().encode(record, a);
  return a;
}

TEST_CASE("every record reaches every accepted payload, and nothing else is accepted") {
  for (const SmallTask& small : small_tasks()) {
    CAPTURE(small.shape);
    const Task task = laplace_task(small.shape, "64", small.spec);
    const LaplaceChannel& channel = laplace_of(task);
    const std::vector<Bytes> accepted = accepted_payloads(task);
    std::size_t expected = 1;
    for (std::size_t j = 0; j < channel.coordinates(); ++j) {
      expected *= static_cast<std::size_t>(2 * channel.bound(j) + 1);
    }
    CHECK(accepted.size() == expected);

    for (const Record& record : tests::all_records(task.schema())) {
      const std::vector<std::int8_t> a = embed(task, record);
      for (const Bytes& payload : accepted) {
        std::vector<std::int32_t> y(channel.coordinates());
        REQUIRE(channel.unpack(payload, y));
        std::vector<std::uint8_t> script;
        for (std::size_t j = 0; j < y.size(); ++j) {
          tests::append_noise_script(channel.scale(j), y[j] - (j < a.size() ? a[j] : 0), script);
        }
        tests::ScriptedBitSource bits(script);
        REQUIRE(task.channel().randomize(task.arrangement(), record, bits) == payload);
        REQUIRE(bits.remaining() == 0);
      }
    }
  }
}

TEST_CASE("the payload is accepted whatever the noise is") {
  // For each coordinate, tries all noise from far below the bound to far above the bound, while the other coordinates
  // have no noise.
  for (const SmallTask& small : small_tasks()) {
    CAPTURE(small.shape);
    const Task task = laplace_task(small.shape, "64", small.spec);
    const LaplaceChannel& channel = laplace_of(task);
    for (const Record& record : tests::all_records(task.schema())) {
      const std::vector<std::int8_t> a = embed(task, record);
      for (std::size_t moved = 0; moved < channel.coordinates(); ++moved) {
        const std::int64_t bound = channel.bound(moved);
        for (std::int64_t noise = -3 * bound; noise <= 3 * bound; ++noise) {
          std::vector<std::uint8_t> script;
          for (std::size_t j = 0; j < channel.coordinates(); ++j) {
            tests::append_noise_script(channel.scale(j), j == moved ? noise : 0, script);
          }
          tests::ScriptedBitSource bits(script);
          std::vector<std::int32_t> y(channel.coordinates());
          REQUIRE(channel.unpack(task.channel().randomize(task.arrangement(), record, bits), y));
          const std::int64_t sum = (moved < a.size() ? a[moved] : 0) + noise;
          CHECK(y[moved] == std::clamp(sum, -bound, bound));
        }
      }
    }
  }
}

// Returns true if log Pr[y|a] - log Pr[y|b] exceeds `limit`. Compares exact sums of positive numbers: the gain with
// `limit` plus the losses.
bool exceeds(const LaplaceChannel& channel, const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b,
             const std::vector<std::int32_t>& y, const Rational& limit, bool& attained) {
  Rational gain;
  Rational loss = limit;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const std::int64_t units = channel.atom(j, b[j], y[j]).power - channel.atom(j, a[j], y[j]).power;
    const Rational part =
        tests::ratio(static_cast<std::uint64_t>(std::abs(units)), 1).divided_by(channel.scale(j)).value();
    Rational& side = units > 0 ? gain : loss;
    side = side.plus(part).value();
  }
  attained = attained || gain == loss;
  return gain > loss;
}

TEST_CASE("the joint law of all payloads has exactly the ratio that the audit states") {
  for (const SmallTask& small : small_tasks()) {
    CAPTURE(small.shape);
    const Task task = laplace_task(small.shape, "64", small.spec);
    const LaplaceChannel& channel = laplace_of(task);
    const AuditResult stated = audit(task, task.channel()).value();
    REQUIRE(stated.exact);
    bool attained = false;
    const std::vector<Record> records = tests::all_records(task.schema());
    for (const Bytes& payload : accepted_payloads(task)) {
      std::vector<std::int32_t> y(channel.coordinates());
      REQUIRE(channel.unpack(payload, y));
      for (const Record& first : records) {
        for (const Record& second : records) {
          if (first == second) continue;
          REQUIRE_FALSE(exceeds(channel, embed(task, first), embed(task, second), y, stated.actual, attained));
        }
      }
    }
    CHECK(attained);
  }
}

}  // namespace
}  // namespace hearsay
