// A small task with cuts.
#pragma once

#include <utility>
#include <vector>

#include "hearsay/task.h"
#include "tests/support/small_domains.h"

namespace hearsay::tests {

// a0 is a boolean. a1 has the values -2 to 9, in the cells {-2..0, 4..6}, {1..3} and {7..9}. a2 has the values -2 to
// 4.
inline const std::vector<Cuts> kCuts{{1, {3, 6, 9}, {0, 1, 0, 2}}, {2, {1, 2}, {}}};

inline TaskSpec cut_spec(std::vector<Cuts> cuts = kCuts) {
  const CircleQuestions three{.places = 3, .bits = 1, .multipliers = {1}, .weights = {1}};
  return {.title = "cut",
          .schema = schema_of("b r12 r7"),
          .arrangement = CharactersSpec{2},
          .channel = SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 3}},
                                 .questions = {ParityQuestions{}, three, ParityQuestions{}}},
          .epsilon = Epsilon::parse("1.5").value(),
          .task_start = 0,
          .task_duration = 3600,
          .time_precision = 3600,
          .cuts = std::move(cuts)};
}

}  // namespace hearsay::tests
