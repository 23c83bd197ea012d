#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "aggregator/proposal/guess.h"
#include "common/base/number_text.h"

namespace hearsay::proposal {
namespace {

struct Pair {
  std::string_view no;
  std::string_view yes;
};

constexpr std::array<Pair, 11> kPairs{{{"no", "yes"},
                                       {"n", "y"},
                                       {"false", "true"},
                                       {"f", "t"},
                                       {"0", "1"},
                                       {"0.0", "1.0"},
                                       {"off", "on"},
                                       {"nein", "ja"},
                                       {"non", "oui"},
                                       {"no", "si"},
                                       {"no", "s\u00ed"}}};
constexpr std::array<std::string_view, 4> kTicks{"x", "\u2713", "\u2714", "\u2611"};

// Adds three spellings of a word, such as "yes", "Yes" and "YES".
void add_spellings(std::string_view word, std::set<std::string>& spellings) {
  const auto capital = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
  std::string text(word);
  spellings.insert(text);
  text[0] = capital(text[0]);
  spellings.insert(text);
  for (char& c : text) c = capital(c);
  spellings.insert(text);
}

// Makes a boolean attribute. If some rows have no answer (`missing` is their number), makes a categorical attribute
// with a third value "missing". Removes the texts for a missing value from `no` and `yes`.
Guess boolean(std::size_t missing, const GuessOptions& options, std::set<std::string> no, std::set<std::string> yes) {
  Guess guess;
  guess.rule = {{"kind", "texts"}};
  for (const std::string& text : options.missing) no.erase(text), yes.erase(text);
  if (missing > 0) {
    guess.attribute = {{"type", "categorical"}, {"values", {"no", "yes", "missing"}}};
    guess.rule["missing"] = missing_rule("missing", options);
  } else {
    guess.attribute = {{"type", "boolean"}};
  }
  guess.rule["texts"] = {{"no", no}, {"yes", yes}};
  return guess;
}

// Recognises a column with one text that means yes, and with empty texts that mean no. Other texts for a missing value,
// such as "NA", do not mean no, because the person may not have been asked.
std::optional<Outcome> tick_mark(const Column& column, const GuessOptions& options) {
  const std::string& text = column.texts().front().text;
  const std::string word = folded(text);
  bool is_tick = std::find(kTicks.begin(), kTicks.end(), word) != kTicks.end();
  for (const Pair& pair : kPairs) is_tick = is_tick || pair.yes == word;
  if (!is_tick || column.empty() == 0) return std::nullopt;
  std::set<std::string> yes{text};
  add_spellings(word, yes);
  GuessOptions others = options;
  std::erase(others.missing, "");
  const std::size_t missing = column.missing() - column.empty();
  Guess guess = boolean(missing, others, {""}, std::move(yes));
  guess.what = missing > 0 ? "yes, no or missing" : "yes or no";
  guess.why = counted(column.present(), "row") + " with one and the same text, which means yes; an empty text means no";
  if (missing > 0) guess.why += "; " + counted(missing, "row") + " with a word for a missing answer: the value missing";
  return guess;
}

}  // namespace

std::optional<Outcome> guess_boolean(const Column& column, const GuessOptions& options) {
  if (column.texts().size() == 1) return tick_mark(column, options);
  std::set<std::string> no;
  std::set<std::string> yes;
  std::size_t rows_of_no = 0;
  for (const DistinctText& text : column.texts()) {
    const std::string word = folded(text.text);
    bool is_no = false;
    bool is_yes = false;
    for (const Pair& pair : kPairs) {
      if (word != pair.no && word != pair.yes) continue;
      is_no = is_no || word == pair.no;
      is_yes = is_yes || word == pair.yes;
      add_spellings(pair.no, no);
      add_spellings(pair.yes, yes);
    }
    if (is_no == is_yes) return std::nullopt;
    (is_no ? no : yes).insert(text.text);
    if (is_no) rows_of_no += text.count;
  }
  if (rows_of_no == 0 || rows_of_no == column.present()) return std::nullopt;
  Guess guess = boolean(column.missing(), options, std::move(no), std::move(yes));
  guess.what = column.missing() > 0 ? "yes, no or missing" : "yes or no";
  guess.why = "every text is a word for yes or no" + missing_words(column, "missing");
  return guess;
}

}  // namespace hearsay::proposal
