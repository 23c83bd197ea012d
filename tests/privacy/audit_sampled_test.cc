// Audits `sampled` over small schemas, on literals and characters, with every kind of attribute, group and question,
// and several odds. Up to ε = 30 the channel spends its ε except for at most 1e-6. The audit refutes a γ that is a few
// units larger.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "common/audit/audit.h"
#include "common/base/int128.h"
#include "tests/support/sampled_tasks.h"

namespace hearsay {
namespace {

using tests::all_sampled_cases;
using tests::sampled_cases;
using tests::sampled_of;
using tests::sampled_task;
using tests::SampledCase;

constexpr std::uint64_t kLargest = ~std::uint64_t{0};

std::vector<std::uint64_t> gammas_of(const SampledChannel& channel) {
  std::vector<std::uint64_t> gammas;
  for (const auto& group_class : channel.classes()) gammas.push_back(group_class.gamma);
  return gammas;
}

void refutes(const Task& task, const std::vector<std::uint64_t>& gammas) {
  const AuditResult result = audit(task, Channel(sampled_of(task).with_gammas(gammas).value())).value();
  CHECK_FALSE(result.holds);
}

TEST_CASE("sampled spends its epsilon and no more") {
  for (const SampledCase& c : all_sampled_cases()) {
    for (const char* epsilon : {"0.25", "1", "4", "8", "0.001", "2.718281", "20", "30"}) {
      CAPTURE(c.name);
      CAPTURE(epsilon);
      const Task task = sampled_task(c, epsilon);
      const AuditResult result = audit(task, task.channel()).value();
      CHECK(result.holds);
      CHECK(result.actual <= result.claimed);
      CHECK(result.actual.approximate() > task.epsilon().approximate() - 1e-6);
      const std::uint64_t universe = task.schema().universe_size().value();
      CHECK(result.pairs == universe * (universe - 1));

      REQUIRE(result.worst_report.size() == 2);
      const auto group = static_cast<std::uint64_t>(result.worst_report[0]);
      const auto answer = static_cast<std::uint32_t>(result.worst_report[1]);
      const SampledChannel& channel = sampled_of(task);
      CHECK(channel.true_value(group, result.worst_first) == answer);
      CHECK(channel.true_value(group, result.worst_second) != answer);
    }
  }
}

TEST_CASE("the audit refutes a gamma that is a little too large, in every class") {
  for (const SampledCase& c : all_sampled_cases()) {
    for (const char* epsilon : {"0.25", "1", "4", "8"}) {
      CAPTURE(c.name);
      CAPTURE(epsilon);
      const Task task = sampled_task(c, epsilon);
      const std::vector<std::uint64_t> gammas = gammas_of(sampled_of(task));
      for (std::size_t i = 0; i < gammas.size(); ++i) {
        const std::uint64_t more = gammas[i] / 20;
        // γ is rounded down, and may be up to 2 units below the bound.
        for (const std::uint64_t excess : {std::uint64_t{3}, std::min(more, kLargest - gammas[i])}) {
          std::vector<std::uint64_t> planted = gammas;
          planted[i] += excess;
          refutes(task, planted);
        }
      }
    }
  }
}

TEST_CASE("the audit finds a smaller loss if gamma is smaller") {
  const Task task = sampled_task(sampled_cases()[12], "1");
  std::vector<std::uint64_t> gammas = gammas_of(sampled_of(task));
  for (std::uint64_t& gamma : gammas) gamma /= 2;
  const AuditResult result = audit(task, Channel(sampled_of(task).with_gammas(gammas).value())).value();
  CHECK(result.holds);
  // A class with K answers has the ratio 1 + Kγ/(1-γ).
  double ratio = 0;
  for (const auto& group_class : sampled_of(task).classes()) {
    const double gamma = sampled_of(task).gamma(group_class) / 2;
    ratio = std::max(ratio, 1 + group_class.answers * gamma / (1 - gamma));
  }
  CHECK(result.actual.approximate() == doctest::Approx(std::log(ratio)).epsilon(1e-9));
  CHECK(result.actual.approximate() < 0.7);
}

// γ is a multiple of 2^-64, and 1-γ is at least 2^-64. So with K answers the channel spends at most 64·ln 2 + ln K.
TEST_CASE("for the largest epsilons the channel spends less than epsilon") {
  for (const SampledCase& c : all_sampled_cases()) {
    CAPTURE(c.name);
    const Task task = sampled_task(c, "64");
    const AuditResult result = audit(task, task.channel()).value();
    std::uint32_t answers = 0;
    for (const auto& group_class : sampled_of(task).classes()) answers = std::max(answers, group_class.answers);
    CHECK(result.holds);
    CHECK(result.actual.approximate() == doctest::Approx(64 * std::log(2) + std::log(answers)).epsilon(1e-9));
  }
}

TEST_CASE("the answers have the stated law, in exact integers") {
  for (const SampledCase& c : all_sampled_cases()) {
    CAPTURE(c.name);
    const Task task = sampled_task(c, "1.1");
    const SampledChannel& channel = sampled_of(task);
    for (const Record& record : tests::all_records(task.schema())) {
      for (std::uint64_t group = 0; group < channel.groups(); ++group) {
        const auto& group_class = channel.class_of(group);
        const std::uint32_t k = group_class.answers;
        const Uint128 told = group_class.gamma;
        const Uint128 untold = (Uint128{1} << 64U) - told;
        // The probabilities in units of 1/(2^64·K).
        std::map<std::uint32_t, Uint128> law;
        for (std::uint32_t n = 0; n < k; ++n) {
          const std::uint32_t uniform = channel.nth_answer(group, n);
          REQUIRE(law.try_emplace(uniform, 0).second);
        }
        for (std::uint32_t n = 0; n < k; ++n) {
          const std::uint32_t uniform = channel.nth_answer(group, n);
          law.at(channel.answer({group, group_class.gamma - 1, uniform}, record)) += told;
          law.at(channel.answer({group, group_class.gamma, uniform}, record)) += untold;
        }
        const std::uint32_t truth = channel.true_value(group, record);
        Uint128 sum = 0;
        for (const auto& [answer, weight] : law) {
          REQUIRE(channel.is_answer(group, answer));
          REQUIRE(weight == untold + (answer == truth ? k * told : 0));
          sum += weight;
        }
        REQUIRE(sum == Uint128{k} << 64U);
      }
    }
  }
}

}  // namespace
}  // namespace hearsay
