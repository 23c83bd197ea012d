#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "aggregator/proposal/guess.h"

namespace hearsay::proposal {
namespace {

using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month;
using std::chrono::year_month_day;

struct NamedOrder {
  DateOrder order;
  std::string_view name;
};
constexpr std::array<NamedOrder, 3> kOrders{
    {{DateOrder::kYearMonthDay, "ymd"}, {DateOrder::kDayMonthYear, "dmy"}, {DateOrder::kMonthDayYear, "mdy"}}};

std::string text_of(sys_days day) {
  const year_month_day date(day);
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text.data();
}

std::string month_text(sys_days day) { return text_of(day).substr(0, 7); }

bool all_are_days(const Column& column, DateOrder order) {
  // A text of eight digits can also be a plain number. So a text of eight digits counts as a day only in the years 1900
  // to 2099.
  constexpr std::size_t kDigits = 8;
  const sys_days first = year(1900) / 1 / 1;
  const sys_days end = year(2100) / 1 / 1;
  return std::all_of(column.texts().begin(), column.texts().end(), [&](const DistinctText& text) {
    const auto day = day_from_text(text.text, order);
    const bool digits = text.text.size() == kDigits && text.text.find_first_not_of("0123456789") == std::string::npos;
    return day && (!digits || (*day >= first && *day < end));
  });
}

// Makes bins between the edges. `name` returns the name of the bin that begins at a day.
Guess bins(const Column& column, const GuessOptions& options, const std::vector<sys_days>& edges,
           std::string (*name)(sys_days)) {
  Guess guess;
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) names.push_back(name(edges[i]));
  if (column.missing() > 0) {
    names.emplace_back("missing");
    guess.rule["missing"] = missing_rule("missing", options);
  }
  guess.attribute = {{"type", "categorical"}, {"values", names}};
  return guess;
}

std::vector<sys_days> month_edges(year_month first, year_month last) {
  std::vector<sys_days> edges;
  for (year_month at = first; at <= last + std::chrono::months(1); at += std::chrono::months(1)) {
    edges.emplace_back(at / 1);
  }
  return edges;
}

std::optional<Guess> years(const Column& column, const GuessOptions& options, int first, int last,
                           std::vector<sys_days>& edges) {
  if (static_cast<std::size_t>(last - first) >= options.most_steps || last >= 9999) return std::nullopt;
  for (int at = first; at <= last + 1; ++at) edges.emplace_back(year(at) / 1 / 1);
  Guess guess;
  guess.attribute = {{"type", "range"}, {"min", first}, {"max", last}, {"unit", "year"}};
  if (column.missing() > 0) {
    guess.attribute["min"] = first - 1;
    guess.rule["missing"] = missing_rule(std::to_string(first - 1), options);
  }
  guess.what = "years from " + std::to_string(first) + " to " + std::to_string(last);
  guess.why = "all texts are days" + missing_words(column, std::to_string(first - 1));
  return guess;
}

// Makes one bin for each year if the last year is at least 3 years after the first year. Otherwise makes one bin for
// each month, or for each day if all days lie in one month.
std::optional<Guess> guess_days(const Column& column, const GuessOptions& options, sys_days first, sys_days last,
                                std::vector<sys_days>& edges) {
  constexpr int kManyYears = 3;
  const year_month_day from(first);
  const year_month_day to(last);
  if ((to.year() - from.year()).count() >= kManyYears) {
    return years(column, options, static_cast<int>(from.year()), static_cast<int>(to.year()), edges);
  }
  const bool months = from.year() / from.month() != to.year() / to.month();
  if (months) {
    edges = month_edges(from.year() / from.month(), to.year() / to.month());
  } else {
    for (sys_days at = first; at <= last + std::chrono::days(1); at += std::chrono::days(1)) edges.push_back(at);
  }
  Guess guess = bins(column, options, edges, months ? &month_text : &text_of);
  guess.what = (months ? "months from " + month_text(first) + " to " + month_text(last)
                       : "days from " + text_of(first) + " to " + text_of(last));
  guess.why = "all texts are days" + missing_words(column, "missing");
  return guess;
}

}  // namespace

std::optional<Outcome> guess_date(const Column& column, const GuessOptions& options) {
  std::vector<NamedOrder> fitting;
  for (const NamedOrder& order : kOrders) {
    if (options.date_order && *options.date_order != order.order && order.order != DateOrder::kYearMonthDay) continue;
    if (all_are_days(column, order.order)) fitting.push_back(order);
  }
  if (fitting.empty()) return std::nullopt;
  const bool points = std::all_of(column.texts().begin(), column.texts().end(),
                                  [](const DistinctText& text) { return text.text.find('.') < 3; });
  if (fitting.size() > 1 && !points) {
    return LeftOut{
        "days, but the texts do not show whether the day or the month stands first: give --date-order dmy or mdy"};
  }
  const NamedOrder order = fitting.front();
  const auto day_of = [&order](const DistinctText& text) { return *day_from_text(text.text, order.order); };
  sys_days first = day_of(column.texts().front());
  sys_days last = first;
  for (const DistinctText& text : column.texts()) {
    first = std::min(first, day_of(text));
    last = std::max(last, day_of(text));
  }
  if (first == last) return LeftOut{"the same day in every row"};
  std::vector<sys_days> edges;
  std::optional<Guess> guess = guess_days(column, options, first, last, edges);
  if (!guess) {
    return LeftOut{"days over more than " + std::to_string(options.most_steps) +
                   " years; some may stand for \"unknown\" or \"for ever\": name them with --missing"};
  }
  guess->rule["kind"] = "dates";
  guess->rule["order"] = order.name;
  guess->rule["outside"] = "clamp";
  for (const sys_days edge : edges) guess->rule["edges"].push_back(text_of(edge));
  if (order.order != DateOrder::kYearMonthDay) {
    guess->why += order.order == DateOrder::kDayMonthYear ? "; the day stands first" : "; the month stands first";
  }
  return *guess;
}

}  // namespace hearsay::proposal
