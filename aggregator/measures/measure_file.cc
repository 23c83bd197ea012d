#include <algorithm>
#include <string>

#include "aggregator/measures/measure.h"
#include "aggregator/measures/scanner.h"
#include "common/base/try.h"
#include "common/base/utf8.h"
#include "common/query/lexer.h"

namespace hearsay::measures {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

Error at_line(std::size_t line, const std::string& message) {
  return {ErrorCode::kQuerySyntax, "line " + std::to_string(line) + ": " + message};
}

// Splits a line into the name and the measure. A line has a name if its first token is followed by a colon. The name
// may be quoted.
Result<NamedMeasure> named(std::string_view line) {
  const auto tokens = scan(line);
  const bool has_name =
      tokens && tokens->size() >= 2 && line[(*tokens)[1].begin] == ':' && (*tokens)[0].kind != TokenKind::kOther;
  if (!has_name) return NamedMeasure{"", std::string(line)};
  const std::string_view name = line.substr((*tokens)[0].begin, (*tokens)[0].end - (*tokens)[0].begin);
  const std::string_view text = trimmed(line.substr((*tokens)[1].end));
  if (text.empty()) return Error{ErrorCode::kQuerySyntax, "there is no measure after the name"};
  if ((*tokens)[0].kind != TokenKind::kString) return NamedMeasure{std::string(name), std::string(text)};
  HEARSAY_TRY(const std::vector<query::Token> lexed, query::tokenize(name));
  return NamedMeasure{lexed.front().text, std::string(text)};
}

}  // namespace

Result<std::vector<NamedMeasure>> read_file(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<NamedMeasure> measures;
  std::size_t line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (content.empty() || content.front() == '#') continue;
    auto measure = named(content);
    if (!measure) return at_line(line, measure.error().message);
    const bool is_double = std::any_of(measures.begin(), measures.end(), [&](const NamedMeasure& other) {
      return !other.name.empty() && other.name == measure->name;
    });
    if (is_double) return at_line(line, "the name \"" + measure->name + "\" occurs twice");
    measures.push_back(*std::move(measure));
  }
  if (measures.empty()) return Error{ErrorCode::kQuerySyntax, "there is no measure in it"};
  return measures;
}

}  // namespace hearsay::measures
