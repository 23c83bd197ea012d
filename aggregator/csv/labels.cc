#include "aggregator/csv/labels.h"

#include <algorithm>
#include <map>
#include <set>

#include "aggregator/csv/problems.h"
#include "common/base/utf8.h"
#include "common/schema/names.h"

namespace hearsay::csv {
namespace {

constexpr char32_t kNoBreakSpace = 0xa0;

std::string tidy(std::string_view text) {
  std::string label;
  bool gap = false;
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t begin = offset;
    const char32_t point = next_code_point(text, offset).value_or(0);
    if (offset == begin) ++offset;
    if (point == ' ' || point == kNoBreakSpace || is_control(point)) {
      gap = true;
      continue;
    }
    if (gap && !label.empty()) label += ' ';
    gap = false;
    label += text.substr(begin, offset - begin);
  }
  return label;
}

}  // namespace

std::vector<std::string> labels_of(const std::vector<std::string>& header) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < header.size(); ++i) {
    labels.push_back(tidy(header[i]));
    if (labels.back().empty()) labels.back() = "column " + std::to_string(i + 1);
  }
  const std::set<std::string> texts(labels.begin(), labels.end());
  std::set<std::string> taken;
  std::map<std::string, std::size_t> next;  // the number to try next for a text; all smaller numbers are taken
  for (std::string& label : labels) {
    const std::string text = label;
    const auto is_free = [&](const std::string& candidate) {
      return !texts.contains(candidate) && !taken.contains(candidate);
    };
    std::size_t& number = next.emplace(text, 2).first->second;
    for (; label == text ? taken.contains(label) : !is_free(label); ++number) {
      label = text + " (" + std::to_string(number) + ")";
    }
    taken.insert(label);
  }
  return labels;
}

Result<std::vector<std::size_t>> labelled_columns(const Companion& companion, const std::vector<std::string>& header) {
  constexpr std::size_t kMostLabels = 8;
  const std::vector<std::string> labels = labels_of(header);
  std::vector<std::size_t> columns;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < companion.schema().size(); ++i) {
    const auto found = std::find(labels.begin(), labels.end(), companion.column(i));
    if (found == labels.end()) missing.push_back(in_quotes(companion.column(i)));
    columns.push_back(static_cast<std::size_t>(found - labels.begin()));
  }
  if (missing.empty()) return columns;
  return Error{ErrorCode::kInvalidRecord, "no column is labelled " + first_of(missing, kMostLabels, missing.size()) +
                                              ", which the companion document names"};
}

}  // namespace hearsay::csv
