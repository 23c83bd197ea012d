// Returns the answer that `GET …/tally` must give for these tallies, in the form of aggregator/docs/api.md.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "aggregator/tally/tally.h"
#include "common/base/json.h"
#include "hearsay/clock.h"
#include "hearsay/task.h"

namespace hearsay::tests {

// Works only for sums and counts below 2^53, which the answer holds as JSON numbers.
inline Json tally_json(const TaskId& task, const std::vector<std::pair<UnixSeconds, tally::Tally>>& windows) {
  Json listed = Json::array();
  for (const auto& [time, tally] : windows) {
    Json window{{"time", time}, {"reports", tally.reports()}};
    if (const auto* laplace = std::get_if<tally::LaplaceTally>(&tally.kind())) {
      Json squares = Json::array();
      for (const Uint128 square : laplace->sum_of_squares) squares.push_back(static_cast<std::uint64_t>(square));
      window["sum"] = laplace->sum;
      window["sum_of_squares"] = std::move(squares);
    } else {
      Json answers = Json::array();
      for (const auto& entry : std::get<tally::SampledTally>(tally.kind()).entries()) {
        answers.push_back({entry.group, entry.answer, entry.count});
      }
      window["answers"] = std::move(answers);
    }
    listed.push_back(std::move(window));
  }
  return {{"task", task.to_string()}, {"windows", std::move(listed)}};
}

}  // namespace hearsay::tests
