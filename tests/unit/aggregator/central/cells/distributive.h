// Distributive queries: their answers about the parts of a database give the answer about the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::central {

// A query f is distributive if f(D) = merge(f(D_1), ..., f(D_k)) for every division of the rows D. Sums, counts, max
// and min are distributive; a median is not. The general release of Xiao, Xiong, Yuan 2010 (Definition 4.1 and section
// 4.1) divides the rows by public cells. The release asks a private mechanism about each part, and publishes the
// answers. Merging gives the answers about all unions of cells.

// Returns the rows of each of `parts` parts, in order. `part_of(row)` must depend only on the row. Errors:
// kInvalidArgument (part_of returns a part that does not exist, or there are no parts).
template <class Row, class PartOf>
Result<std::vector<std::vector<Row>>> divide(std::span<const Row> rows, std::size_t parts, const PartOf& part_of) {
  if (parts == 0) return Error{ErrorCode::kInvalidArgument, "there must be at least one part"};
  std::vector<std::vector<Row>> divided(parts);
  for (const Row& row : rows) {
    const std::size_t part = part_of(row);
    if (part >= parts) return Error{ErrorCode::kInvalidArgument, "a row belongs to no part"};
    divided[part].push_back(row);
  }
  return divided;
}

// Returns ask(rows of a part) for every part, in order. Let `ask` be ε-private, with independent random bits for each
// part. Then all answers together are private at ε times the number of parts in which two neighbours can differ.
template <class Row, class Ask>
auto ask_each(const std::vector<std::vector<Row>>& parts, const Ask& ask) {
  std::vector<decltype(ask(std::span<const Row>()))> answers;
  answers.reserve(parts.size());
  for (const auto& part : parts) answers.push_back(ask(std::span<const Row>(part)));
  return answers;
}

// Merges all answers in order, beginning with the answer `empty` about no rows.
template <class Answer, class Merge>
Answer merge_all(const std::vector<Answer>& answers, Answer empty, const Merge& merge) {
  for (const Answer& answer : answers) empty = merge(std::move(empty), answer);
  return empty;
}

}  // namespace hearsay::central
