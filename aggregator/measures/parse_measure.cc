#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "aggregator/measures/measure.h"
#include "aggregator/measures/scanner.h"
#include "common/base/nearest.h"
#include "common/base/try.h"
#include "common/query/lexer.h"

namespace hearsay::measures {
namespace {

using Tokens = std::span<const Token>;

struct FunctionWord {
  std::string_view word;
  Kind kind;
};
constexpr FunctionWord kFunctions[] = {
    {"mean", Kind::kMean},         {"histogram", Kind::kHistogram}, {"cumulative", Kind::kCumulative},
    {"quantile", Kind::kQuantile}, {"median", Kind::kQuantile},     {"difference", Kind::kDifference},
    {"ratio", Kind::kRatio}};

bool is_operation(Kind kind) { return kind == Kind::kDifference || kind == Kind::kRatio; }

class Parser {
 public:
  Parser(const Schema& schema, std::string_view text) : schema_(schema), text_(text) {}

  // Parses the tokens of a measure that ends at the byte `end` of the text.
  Result<Measure> measure(Tokens tokens, std::size_t end, std::size_t depth) {
    if (tokens.empty()) return syntax(end, "expected a measure");
    const std::size_t outside = tokens.front().depth;
    const std::size_t by = find_word(tokens, outside, "by");
    const std::size_t among = find_word(tokens.first(by), outside, "among");
    const Tokens base = tokens.first(std::min(among, by));
    const std::size_t base_end = base.size() < tokens.size() ? tokens[base.size()].begin : end;
    HEARSAY_TRY(Measure measure, base_measure(base, base_end, depth));
    if (among < by) {
      const std::size_t among_end = by < tokens.size() ? tokens[by].begin : end;
      HEARSAY_TRY(measure.among, query(tokens.subspan(among + 1, by - among - 1), among_end));
    }
    if (by < tokens.size()) {
      if (depth > 0) return syntax(tokens[by].begin, "`by` must follow the whole measure, not stand within it");
      HEARSAY_TRY(measure.by, attribute(tokens.subspan(by + 1), end));
    }
    return measure;
  }

 private:
  std::string_view text_of(const Token& token) const { return text_.substr(token.begin, token.end - token.begin); }

  Error error(std::size_t at, ErrorCode code, std::string_view message) const {
    return query::error_at(text_, at, code, message);
  }
  Error syntax(std::size_t at, std::string_view message) const { return error(at, ErrorCode::kQuerySyntax, message); }

  std::size_t find_word(Tokens tokens, std::size_t depth, std::string_view word) const {
    const auto found = std::find_if(tokens.begin(), tokens.end(), [&](const Token& token) {
      return token.kind == TokenKind::kWord && token.depth == depth && text_of(token) == word;
    });
    return static_cast<std::size_t>(found - tokens.begin());
  }

  // Parses a part of the text as a query. Replaces the text before the part by white space with the same lines and
  // columns, so that errors give positions in the whole text.
  Result<Query> query(Tokens tokens, std::size_t end) const {
    if (tokens.empty()) return syntax(end, "expected a query");
    std::string padded;
    for (const char c : text_.substr(0, tokens.front().begin)) {
      const bool continues = (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
      if (!continues) padded += c == '\n' ? '\n' : ' ';
    }
    padded += text_.substr(tokens.front().begin, tokens.back().end - tokens.front().begin);
    return Query::parse(schema_, padded);
  }

  Result<std::uint32_t> attribute(Tokens tokens, std::size_t end) const {
    if (tokens.empty()) return syntax(end, "expected the name of an attribute");
    const Token& token = tokens.front();
    if (tokens.size() > 1) return syntax(tokens[1].begin, "expected the end of the attribute's name");
    HEARSAY_TRY(const std::vector<query::Token> lexed, query::tokenize(text_of(token)));
    const bool is_name =
        lexed.front().kind == query::TokenKind::kName || lexed.front().kind == query::TokenKind::kString;
    if (!is_name) return syntax(token.begin, "expected the name of an attribute");
    const auto found = schema_.find(lexed.front().text);
    if (!found) {
      std::vector<std::string> names;
      for (const Attribute& each : schema_.attributes()) names.push_back(each.name());
      return error(token.begin, ErrorCode::kUnknownAttribute,
                   "there is no attribute " + std::string(text_of(token)) + did_you_mean(lexed.front().text, names));
    }
    return static_cast<std::uint32_t>(*found);
  }

  Result<std::uint32_t> number_attribute(Tokens tokens, std::size_t end) const {
    HEARSAY_TRY(const std::uint32_t found, attribute(tokens, end));
    if (schema_[found].kind() != AttributeKind::kCategorical) return found;
    return syntax(tokens.front().begin, "a categorical attribute has no numbers: ask for its histogram");
  }

  Result<Measure> base_measure(Tokens tokens, std::size_t end, std::size_t depth) {
    if (tokens.size() >= 3 && tokens[0].kind == TokenKind::kWord && text_[tokens[1].begin] == '(') {
      for (const FunctionWord& function : kFunctions) {
        if (text_of(tokens[0]) == function.word) return call(function, tokens, depth);
      }
      HEARSAY_CHECK_OK(check_no_function(tokens[0]));
    }
    Measure share;
    HEARSAY_TRY(share.query, query(tokens, end));
    return count_operand(tokens, std::move(share));
  }

  // In a query, a keyword such as `not` or `at_least` may stand before a bracket, but a name may not. So if the name
  // before a bracket is no attribute, the name is that of an unknown measure.
  Result<void> check_no_function(const Token& word) const {
    const auto lexed = query::tokenize(text_of(word));
    if (!lexed || lexed->front().kind != query::TokenKind::kName || schema_.find(lexed->front().text)) return {};
    std::vector<std::string> known;
    std::string list;
    for (const FunctionWord& function : kFunctions) {
      known.emplace_back(function.word);
      list += (list.empty() ? "" : ", ") + known.back();
    }
    return syntax(word.begin, "there is no measure " + std::string(text_of(word)) + "(…); there are " + list +
                                  did_you_mean(text_of(word), known));
  }

  // The number of shares and means is limited because they cost the most time.
  Result<Measure> count_operand(Tokens tokens, Measure measure) {
    if (++operands_ > Measure::kMaxOperands) {
      return error(tokens.front().begin, ErrorCode::kQueryTooLarge, "a measure is made of at most 16 shares and means");
    }
    return measure;
  }

  Result<Measure> call(const FunctionWord& function, Tokens tokens, std::size_t depth) {
    const std::size_t outside = tokens.front().depth;
    const auto close = std::find_if(tokens.begin() + 2, tokens.end(), [&](const Token& token) {
      return token.kind == TokenKind::kClose && token.depth == outside;
    });
    if (close + 1 != tokens.end())
      return syntax((close + 1)->begin, "expected `among`, `by` or the end of the measure");
    const std::vector<Tokens> arguments = split(tokens.subspan(2, tokens.size() - 3), outside + 1, ',');
    Measure measure;
    measure.kind = function.kind;
    if (is_operation(function.kind)) {
      HEARSAY_CHECK_OK(add_operands(arguments, tokens, depth, measure));
      return measure;
    }
    HEARSAY_CHECK_OK(add_attributes(function, arguments, tokens, measure));
    return count_operand(tokens, std::move(measure));
  }

  Result<void> add_operands(const std::vector<Tokens>& arguments, Tokens tokens, std::size_t depth, Measure& measure) {
    if (arguments.size() != 2)
      return syntax(tokens.front().begin, "a difference or ratio takes two measures, with a comma between them");
    if (depth + 1 > Measure::kMaxDepth) {
      return error(tokens.front().begin, ErrorCode::kQueryTooLarge,
                   "differences and ratios may be nested at most 8 deep");
    }
    const std::size_t comma = tokens[2 + arguments[0].size()].begin;
    const std::size_t ends[] = {comma, tokens.back().begin};
    for (std::size_t i = 0; i < 2; ++i) {
      HEARSAY_TRY(Measure operand, this->measure(arguments[i], ends[i], depth + 1));
      if (operand.kind == Kind::kHistogram || operand.kind == Kind::kCumulative || operand.kind == Kind::kQuantile) {
        return syntax(arguments[i].front().begin, "a difference or ratio takes shares, means, differences and ratios");
      }
      measure.operands.push_back(std::move(operand));
    }
    return {};
  }

  Result<void> add_attributes(const FunctionWord& function, const std::vector<Tokens>& arguments, Tokens tokens,
                              Measure& measure) const {
    const std::size_t end = tokens.back().begin;
    const bool has_level = function.word == "quantile";
    if (arguments.size() != (has_level ? 2U : 1U)) {
      return syntax(tokens.front().begin, has_level ? "expected quantile(ATTRIBUTE, LEVEL), such as quantile(age, 0.9)"
                                                    : "expected one argument");
    }
    if (measure.kind == Kind::kMean) {
      const std::vector<Tokens> summands = split(arguments[0], tokens.front().depth + 1, '+');
      if (summands.size() > Measure::kMaxSummands) {
        return error(tokens.front().begin, ErrorCode::kQueryTooLarge, "a mean is of at most 16 attributes");
      }
      for (const Tokens summand : summands) {
        HEARSAY_TRY(const std::uint32_t found, number_attribute(summand, end));
        measure.attributes.push_back(found);
      }
      return {};
    }
    HEARSAY_TRY(const std::uint32_t found,
                measure.kind == Kind::kHistogram ? attribute(arguments[0], end) : number_attribute(arguments[0], end));
    measure.attributes.push_back(found);
    measure.level = 0.5;
    if (!has_level) return {};
    HEARSAY_TRY(measure.level, level(arguments[1], end));
    return {};
  }

  Result<double> level(Tokens tokens, std::size_t end) const {
    if (tokens.empty()) return syntax(end, "expected a level, such as 0.9");
    const char* const first = text_.data() + tokens.front().begin;
    const char* const last = text_.data() + tokens.back().end;
    double value = 0;
    const auto [stop, failed] = std::from_chars(first, last, value, std::chars_format::fixed);
    if (failed == std::errc() && stop == last && value > 0 && value < 1) return value;
    return syntax(tokens.front().begin, "a level is a number between 0 and 1, such as 0.9");
  }

  std::vector<Tokens> split(Tokens tokens, std::size_t depth, char separator) const {
    std::vector<Tokens> parts;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind != TokenKind::kOther || tokens[i].depth != depth || text_[tokens[i].begin] != separator)
        continue;
      parts.push_back(tokens.subspan(begin, i - begin));
      begin = i + 1;
    }
    parts.push_back(tokens.subspan(begin));
    return parts;
  }

  const Schema& schema_;
  std::string_view text_;
  std::size_t operands_ = 0;
};

}  // namespace

Result<Measure> parse(const Schema& schema, std::string_view text) {
  HEARSAY_TRY(const std::vector<Token> tokens, scan(text));
  return Parser(schema, text).measure(tokens, text.size(), 0);
}

}  // namespace hearsay::measures
