#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "aggregator/proposal/guess.h"
#include "common/base/number_text.h"
#include "common/schema/names.h"
#include "hearsay/companion.h"
#include "hearsay/schema.h"

namespace hearsay::proposal {
namespace {

// The spellings of one category.
struct Group {
  std::string name;  // the most frequent spelling
  std::vector<std::string> spellings;
  std::size_t most = 0;   // the number of rows with this spelling
  std::size_t count = 0;  // the number of rows with any spelling
};

std::vector<Group> groups_of(const Column& column) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> places;
  for (const DistinctText& text : column.texts()) {
    const auto [place, is_new] = places.emplace(folded(text.text), groups.size());
    if (is_new) groups.emplace_back();
    Group& group = groups[place->second];
    group.spellings.push_back(text.text);
    group.count += text.count;
    if (text.count > group.most) group.most = text.count, group.name = text.text;
  }
  return groups;
}

bool can_be_value(const Group& group) {
  const bool short_enough = std::all_of(group.spellings.begin(), group.spellings.end(), [](const std::string& text) {
    return text.size() <= Companion::kMaxTextBytes;
  });
  return short_enough && group.name.size() <= Attribute::kMaxNameBytes && check_printable(group.name, "");
}

// Returns the first of `names` that no category has.
std::string free_name(const std::vector<Group>& groups, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const bool taken =
        std::any_of(groups.begin(), groups.end(), [&](const Group& group) { return group.name == name; });
    if (!taken) return std::string(name);
  }
  return std::string(*names.begin()) + " (of these)";
}

std::optional<LeftOut> reason_against(const Column& column, const std::vector<Group>& groups,
                                      const GuessOptions& options) {
  constexpr std::size_t kLong = 60;
  std::size_t bytes = 0;
  for (const DistinctText& text : column.texts()) bytes += text.text.size() * text.count;
  if (groups.size() > 2 && groups.size() == column.present()) {
    return LeftOut{"a different text in every row: names, identifiers or free text"};
  }
  if (groups.size() > options.most_values && groups.size() * 2 > column.present()) {
    return LeftOut{with_separators(groups.size()) + " distinct texts in " + counted(column.present(), "row") +
                   ": identifiers or free text"};
  }
  if (groups.size() > options.most_values && bytes / column.present() > kLong) {
    return LeftOut{"long texts, " + with_separators(groups.size()) + " distinct ones: free text"};
  }
  return std::nullopt;
}

// Keeps at most `most` groups: the most frequent groups that can be values, in the order of their names. Returns how
// many rows the removed groups have.
std::size_t keep_frequent(std::vector<Group>& groups, std::size_t most) {
  const auto usable = std::stable_partition(groups.begin(), groups.end(), &can_be_value);
  std::stable_sort(groups.begin(), usable, [](const Group& a, const Group& b) { return a.count > b.count; });
  const auto end =
      groups.begin() + std::min<std::ptrdiff_t>(usable - groups.begin(), static_cast<std::ptrdiff_t>(most));
  std::size_t rows = 0;
  for (auto group = end; group != groups.end(); ++group) rows += group->count;
  groups.erase(end, groups.end());
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.name < b.name; });
  return rows;
}

// Returns a warning about values that few rows have. Such values may reveal something about single people.
std::string rare_words(const std::vector<Group>& groups) {
  constexpr std::size_t kFew = 5;
  const auto rare = static_cast<std::size_t>(
      std::count_if(groups.begin(), groups.end(), [](const Group& group) { return group.count < kFew; }));
  if (rare == 0) return "";
  return "; " + counted(rare, "value") + (rare == 1 ? " occurs" : " occur") + " in fewer than " + std::to_string(kFew) +
         " rows" + (rare == 1 ? "" : " each");
}

std::string without_text(const Column& column) {
  return column.missing() == 0 ? "" : "; " + counted(column.missing(), "row") + " without a text";
}

}  // namespace

Json missing_rule(const std::string& value, const GuessOptions& options) {
  return {{"value", value}, {"texts", options.missing}};
}

std::string missing_words(const Column& column, const std::string& value) {
  return column.missing() == 0 ? "" : without_text(column) + ": the value " + value;
}

Outcome guess_category(const Column& column, const GuessOptions& options, bool keep) {
  std::vector<Group> groups = groups_of(column);
  if (!keep) {
    if (const auto against = reason_against(column, groups, options)) return *against;
  }
  if (groups.size() == 1) return LeftOut{"the same text in every row" + without_text(column)};
  const std::size_t distinct = groups.size();
  const bool all = distinct <= options.most_values && std::all_of(groups.begin(), groups.end(), &can_be_value);
  const std::size_t others = keep_frequent(groups, all ? distinct : options.most_values - 1);
  if (groups.empty()) return LeftOut{"texts that are too long for values, or have line breaks: free text"};

  Guess guess;
  std::vector<std::string> values;
  guess.rule = {{"kind", "texts"}, {"texts", Json::object()}};
  for (const Group& group : groups) {
    values.push_back(group.name);
    guess.rule["texts"][group.name] = group.spellings;
  }
  guess.what = std::to_string(groups.size()) + " categories";
  guess.why = with_separators(distinct) + " distinct texts in " + counted(column.present(), "row");
  if (!all) {
    values.push_back(free_name(groups, {"other", "another", "other (rest)"}));
    guess.rule["other"] = values.back();
    guess.what = "the " + std::to_string(groups.size()) + " most frequent texts, and " + values.back();
    guess.why += "; " + counted(others, "row") + " in " + values.back();
  }
  if (column.missing() > 0) {
    values.push_back(free_name(groups, {"missing", "no answer", "missing (none)"}));
    guess.rule["missing"] = missing_rule(values.back(), options);
    guess.what += all ? " and " + values.back() : ", and " + values.back();
    guess.why += missing_words(column, values.back());
  }
  guess.why += rare_words(groups);
  guess.attribute = {{"type", "categorical"}, {"values", values}};
  return guess;
}

}  // namespace hearsay::proposal
