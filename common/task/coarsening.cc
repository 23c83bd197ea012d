#include "common/task/coarsening.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/base/try.h"
#include "common/schema/names.h"

namespace hearsay {
namespace {

Error of_attribute(const Attribute& attribute, const std::string& message) {
  return {ErrorCode::kInvalidArgument, "the cuts of " + shown_name(attribute.name()) + ": " + message};
}

// Returns true if cells are numbered in the order of their first stretches.
bool are_numbered_by_first(const std::vector<std::uint32_t>& cells) {
  std::uint32_t next = 0;
  for (const std::uint32_t cell : cells) {
    if (cell > next) return false;
    if (cell == next) ++next;
  }
  return true;
}

Result<void> check_cuts(const Cuts& cuts, const Attribute& attribute) {
  const auto& [number, starts, cells] = cuts;
  if (attribute.kind() != AttributeKind::kRange) return of_attribute(attribute, "only integer ranges can be cut");
  if (starts.empty()) return of_attribute(attribute, "at least one value must start another stretch");
  if (starts.size() > Cuts::kMaxStarts) {
    return Error{ErrorCode::kLimitExceeded, "the cuts of " + shown_name(attribute.name()) + ": at most " +
                                                std::to_string(Cuts::kMaxStarts) + " starts may be given"};
  }
  if (std::adjacent_find(starts.begin(), starts.end(), std::greater_equal<>()) != starts.end()) {
    return of_attribute(attribute, "starts must ascend, each given once");
  }
  if (starts.front() < 1 || starts.back() >= attribute.size()) {
    return of_attribute(attribute, "starts must be from " + std::to_string(attribute.min() + 1) + " to " +
                                       std::to_string(attribute.max()));
  }
  if (!cells.empty() && cells.size() != starts.size() + 1) {
    return of_attribute(attribute, "there must be one cell for each stretch, one more than there are starts");
  }
  if (std::adjacent_find(cells.begin(), cells.end()) != cells.end()) {
    return of_attribute(attribute,
                        "two stretches side by side must be of different cells: leave out the start between");
  }
  if (!are_numbered_by_first(cells)) {
    return of_attribute(attribute, "cells must be numbered from 0 in the order of their first values");
  }
  if (starts.size() + 1 == attribute.size() && cells.empty()) {
    return of_attribute(attribute, "every value is a cell of its own: leave out the cuts");
  }
  return {};
}

// A cell is named after its first two stretches. If the cell has more stretches, the name ends with the number of the
// other stretches. Names differ, since no two cells share a first stretch.
Result<Attribute> cells_of(const Attribute& attribute, const Cuts& cuts) {
  std::vector<std::string> names;
  std::vector<std::size_t> stretches;
  for (std::size_t s = 0; s < cuts.cells.size(); ++s) {
    const std::uint32_t first = s == 0 ? 0 : cuts.starts[s - 1];
    const std::uint32_t last = (s < cuts.starts.size() ? cuts.starts[s] : attribute.size()) - 1;
    const std::uint32_t cell = cuts.cells[s];
    if (cell == names.size()) {
      names.emplace_back();
      stretches.push_back(0);
    }
    if (++stretches[cell] <= 2) {
      names[cell] += (stretches[cell] == 2 ? " or " : "") + stretch_text(attribute, first, last);
    }
  }
  for (std::size_t cell = 0; cell < names.size(); ++cell) {
    if (stretches[cell] > 2) names[cell] += " or " + std::to_string(stretches[cell] - 2) + " more stretches";
  }
  HEARSAY_TRY(Attribute categorical, Attribute::categorical(attribute.name(), std::move(names)));
  return std::move(categorical).with_title(attribute.title());
}

}  // namespace

std::string stretch_text(const Attribute& attribute, std::uint32_t first, std::uint32_t last) {
  const std::string text = attribute.value_text(first);
  return first == last ? text : text + ".." + attribute.value_text(last);
}

Result<Coarsening> Coarsening::create(const Schema& schema, const std::vector<Cuts>& cuts) {
  std::vector<Attribute> attributes(schema.attributes().begin(), schema.attributes().end());
  std::vector<Cuts> spelt_out;
  for (const Cuts& of_one : cuts) {
    if (of_one.attribute >= schema.size() || (!spelt_out.empty() && of_one.attribute <= spelt_out.back().attribute)) {
      return Error{ErrorCode::kInvalidArgument, "attributes must be in ascending order, and in the schema"};
    }
    HEARSAY_CHECK_OK(check_cuts(of_one, schema[of_one.attribute]));
    Cuts& all = spelt_out.emplace_back(of_one);
    if (all.cells.empty()) {
      all.cells.resize(all.starts.size() + 1);
      std::iota(all.cells.begin(), all.cells.end(), 0U);
    }
    HEARSAY_TRY(attributes[of_one.attribute], cells_of(schema[of_one.attribute], all));
  }
  HEARSAY_TRY(Schema coarse, Schema::create(std::move(attributes)));
  Coarsening result(std::move(coarse));
  result.cuts_ = std::move(spelt_out);
  return result;
}

// Compares the value with every start. Each comparison adds the difference of two cells' numbers, or 0 if the value
// lies below the start. So the steps taken do not depend on the value.
Record Coarsening::coarse(const Record& record) const {
  std::vector<std::uint32_t> values(record.values().begin(), record.values().end());
  for (const Cuts& cuts : cuts_) {
    const std::uint32_t value = values[cuts.attribute];
    std::uint32_t cell = 0;
    for (std::size_t i = 0; i < cuts.starts.size(); ++i) {
      // The value and the start are below 2^20. If the value lies below the start, the difference is negative and its
      // highest bit is set.
      const std::uint32_t is_below = (value - cuts.starts[i]) >> 31U;
      cell += (cuts.cells[i + 1] - cuts.cells[i]) & (is_below - 1);
    }
    values[cuts.attribute] = cell;
  }
  return Record::create(schema_, std::move(values)).value();
}

const Cuts* Coarsening::cuts_of(std::uint32_t attribute) const {
  const auto found =
      std::find_if(cuts_.begin(), cuts_.end(), [attribute](const Cuts& cuts) { return cuts.attribute == attribute; });
  return found == cuts_.end() ? nullptr : &*found;
}

}  // namespace hearsay
