#include "common/arrangement/explicit.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "common/base/number_text.h"
#include "common/base/try.h"
#include "common/base/utf8.h"

namespace hearsay {
namespace {

Error bad_explicit(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// Returns true if an entry is -128, the only entry whose negation does not fit a byte.
bool has_lowest(std::span<const std::int8_t> entries) {
  return std::find(entries.begin(), entries.end(), std::int8_t{-128}) != entries.end();
}

Result<std::size_t> check_records(const ExplicitSpec& spec, const Schema& schema) {
  if (spec.dimension < 1) return bad_explicit("dimension must be at least 1");
  const std::uint64_t universe = schema.universe_size().value_or(Explicit::kMaxEntries + 1);
  if (universe > Explicit::kMaxEntries / spec.dimension) {
    return Error{ErrorCode::kLimitExceeded, "the number of records times dimension exceeds " +
                                                with_separators(Explicit::kMaxEntries) +
                                                ": take fewer attributes, fewer values of each, or fewer dimensions"};
  }
  if (spec.dimension > Explicit::kMaxSigned && universe * universe > Explicit::kMaxPairEntries / spec.dimension) {
    return Error{ErrorCode::kLimitExceeded,
                 "with more than " + std::to_string(Explicit::kMaxSigned) +
                     " dimensions, the squared number of records, times dimension, must be at most 2^34, or the "
                     "largest distance between two vectors takes too long to find: take fewer attributes, fewer values "
                     "of each, or fewer dimensions"};
  }
  const std::uint64_t expected = universe * spec.dimension;
  if (spec.records.size() != expected) {
    return bad_explicit("records has " + std::to_string(spec.records.size()) + " bytes; it must have " +
                        std::to_string(expected) + ", " + std::to_string(spec.dimension) + " for each of the " +
                        counted(universe, "record") + " that the schema allows");
  }
  if (has_lowest(spec.records)) return bad_explicit("records has an entry of -128; entries are from -127 to 127");
  return static_cast<std::size_t>(universe);
}

Result<void> check_query(const ExplicitQuery& query, std::size_t dimension, const std::string& at) {
  if (query.query.empty() || query.query.size() > Explicit::kMaxQueryBytes) {
    return bad_explicit(at + ".query must have from 1 to " + with_separators(Explicit::kMaxQueryBytes) + " bytes");
  }
  if (find_invalid_utf8(query.query)) return bad_explicit(at + ".query is not UTF-8");
  if (query.vector.size() != dimension) {
    return bad_explicit(at + ".vector must have " + counted(dimension, "byte") + ", and has " +
                        std::to_string(query.vector.size()));
  }
  if (has_lowest(query.vector)) return bad_explicit(at + ".vector has an entry of -128; entries are from -127 to 127");
  const bool zero = std::all_of(query.vector.begin(), query.vector.end(), [](std::int8_t v) { return v == 0; });
  if (zero) return bad_explicit(at + ".vector must not be all zero");
  return {};
}

Result<void> check_queries(const ExplicitSpec& spec) {
  if (spec.queries.empty()) return bad_explicit("queries must have at least one element");
  if (spec.queries.size() > Explicit::kMaxEntries / spec.dimension) {
    return Error{ErrorCode::kLimitExceeded,
                 "the number of queries times dimension must be at most " + with_separators(Explicit::kMaxEntries)};
  }
  for (std::size_t i = 0; i < spec.queries.size(); ++i) {
    const std::string at = "queries[" + std::to_string(i) + "]";
    HEARSAY_CHECK_OK(check_query(spec.queries[i], spec.dimension, at));
    if (i == 0) continue;
    if (spec.queries[i - 1].query == spec.queries[i].query) {
      return bad_explicit("queries has two elements with the same query, " + at + " and the one before it");
    }
    if (spec.queries[i].query < spec.queries[i - 1].query) return bad_explicit("queries must ascend by their text");
  }
  return {};
}

// Returns all ones if a == b, else 0, without a branch.
std::uint8_t mask_of_equal(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t difference = a ^ b;
  return static_cast<std::uint8_t>(((difference | (0 - difference)) >> 63U) - 1);
}

}  // namespace

Result<Explicit> Explicit::create(const ExplicitSpec& spec, const Schema& schema) {
  HEARSAY_TRY(const std::size_t records, check_records(spec, schema));
  HEARSAY_CHECK_OK(check_queries(spec));
  const std::uint64_t sensitivity = l1_diameter(spec.records, spec.dimension);
  if (sensitivity == 0)
    return bad_explicit(
        "all records have the same vector, so reports would say nothing: give some records different vectors");

  std::vector<std::uint32_t> values;
  for (const Attribute& attribute : schema.attributes()) values.push_back(static_cast<std::uint32_t>(attribute.size()));
  int largest_entry = 0;
  std::uint64_t largest_square = 0;
  for (std::size_t at = 0; at < spec.records.size(); at += spec.dimension) {
    std::uint64_t square = 0;
    for (const std::int8_t entry : std::span(spec.records).subspan(at, spec.dimension)) {
      largest_entry = std::max(largest_entry, std::abs(int{entry}));
      square += static_cast<std::uint64_t>(int{entry} * int{entry});
    }
    largest_square = std::max(largest_square, square);
  }
  return Explicit(std::make_shared<const State>(
      State{spec, std::move(values), records, sensitivity, largest_entry, largest_square}));
}

void Explicit::encode(const Record& record, std::span<std::int8_t> out) const {
  const State& state = *state_;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < state.values.size(); ++i) number = number * state.values[i] + record[i];
  std::fill(out.begin(), out.end(), std::int8_t{0});
  for (std::size_t x = 0; x < state.records; ++x) {
    const std::uint8_t mask = mask_of_equal(x, number);
    const std::int8_t* entries = &state.spec.records[x * out.size()];
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] = static_cast<std::int8_t>(out[j] | (static_cast<std::uint8_t>(entries[j]) & mask));
    }
  }
}

}  // namespace hearsay
