#include "examples/comparison/question.h"

#include <algorithm>

#include "common/schema/names.h"

namespace hearsay::examples {

std::uint32_t Question::value(std::span<const std::uint32_t> record) const {
  return static_cast<std::uint32_t>(
      std::count_if(conditions.begin(), conditions.end(), [&](const Query& query) { return query.evaluate(record); }));
}

Question mean_of(const Schema& schema, std::uint32_t attribute) {
  const std::uint32_t size = schema[attribute].size();
  Question question{{}, "mean of " + shown_name(schema[attribute].name())};
  for (std::uint32_t t = 1; t < size; ++t) {
    question.conditions.emplace_back(query::Membership{attribute, {{t, size - 1}}});
  }
  return question;
}

}  // namespace hearsay::examples
