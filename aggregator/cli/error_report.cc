#include "aggregator/cli/error_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "aggregator/cli/layout.h"
#include "common/base/number_text.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"

namespace hearsay::cli {
namespace {

constexpr std::size_t kShownLines = 20;

// Returns the error, for sorting. Lines that cannot be answered come first.
double size_of(const Result<planner::ExpectedError>& error) {
  return error ? error->half_width : std::numeric_limits<double>::infinity();
}

std::string cell_of(const Result<planner::ExpectedError>& error) {
  if (!error) return "-";
  std::string text = console::short_number(error->half_width, 3);
  if (error->at_most) text += "<";
  if (!error->near_normal) text += "*";
  return text;
}

std::string remarks_on(const ErrorReport& report, const std::vector<std::size_t>& shown) {
  bool at_most = false;
  bool few = false;
  bool says_nothing = false;
  std::set<std::string> failures;
  for (const std::size_t i : shown) {
    for (std::size_t k = 0; k < report.epsilons.size(); ++k) {
      const Result<planner::ExpectedError>& error = report.lines[i].errors[k];
      if (!error) {
        failures.insert("-: at epsilon " + report.epsilons[k] + ", " + std::string(error_name(error.error().code)) +
                        ": " + error.error().message);
        continue;
      }
      at_most = at_most || error->at_most;
      few = few || !error->near_normal;
      says_nothing = says_nothing || error->half_width >= 0.5;
    }
  }
  std::string text;
  if (at_most) text += paragraph("<: an upper bound of the error");
  if (few) text += paragraph("*: so few users that larger errors can be more frequent than the confidence says");
  if (says_nothing) text += paragraph("an error of 0.5 or more says nothing about a fraction, which is from 0 to 1");
  for (const std::string& failure : failures) text += paragraph(failure);
  return text;
}

}  // namespace

std::vector<Epsilon> several_epsilons(const Epsilon& given) {
  std::vector<Epsilon> list{given};
  for (const char* text : {"0.5", "1", "2", "4"}) {
    const Epsilon other = Epsilon::parse(text).value();
    if (!(other == given)) list.push_back(other);
  }
  std::sort(list.begin(), list.end(),
            [](const Epsilon& a, const Epsilon& b) { return a.num() * b.den() < b.num() * a.den(); });
  return list;
}

void add_errors(ErrorReport& report, const Result<Task>& task, const std::vector<Query>& queries,
                const AccuracyFlags& accuracy) {
  // The variance does not depend on alpha. With alpha = 0.5, the number of users is small and does not overflow.
  const planner::Target target{0.5, accuracy.target.beta};
  if (!task) {
    for (std::size_t i = 0; i < queries.size(); ++i) report.lines[i].errors.push_back(task.error());
    return;
  }
  const auto plans = planner::plan(*task, queries, target);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    report.lines[i].errors.push_back(plans[i]
                                         ? planner::expected_error(*plans[i], accuracy.people(), accuracy.target.beta)
                                         : Result<planner::ExpectedError>(plans[i].error()));
  }
}

std::string heading_of(const AccuracyFlags& accuracy, const TaskSpec& times) {
  const double confidence = 1 - accuracy.target.beta;
  std::string text = counted(accuracy.people(), "user") + (accuracy.per_window > 0 ? " in one window" : "") +
                     ": the error of each answer, at confidence " + console::short_number(confidence);
  std::string lines = paragraph(text);
  const std::uint64_t windows = times.task_duration / times.time_precision;
  if (accuracy.per_window > 0 && windows > 1) {
    lines += paragraph("a window is " + counted(times.time_precision, "second") +
                       "; if other people report in each of the task's " + with_separators(windows) +
                       " windows, an answer from all of them has errors " +
                       console::short_number(std::sqrt(static_cast<double>(windows)), 3) + " times smaller");
  }
  return lines + '\n';
}

std::string to_text(const ErrorReport& report, std::size_t place) {
  std::vector<std::size_t> shown(report.lines.size());
  for (std::size_t i = 0; i < shown.size(); ++i) shown[i] = i;
  if (shown.size() > kShownLines) {
    std::stable_sort(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) {
      return size_of(report.lines[a].errors[place]) > size_of(report.lines[b].errors[place]);
    });
    shown.resize(kShownLines);
  }
  console::Table table{{"query"}, {}};
  std::size_t left = line_columns();
  for (const std::string& epsilon : report.epsilons) table.header.push_back("epsilon " + epsilon);
  for (std::size_t k = 0; k < report.epsilons.size(); ++k) {
    std::size_t width = table.header[k + 1].size();
    for (const std::size_t i : shown) width = std::max(width, cell_of(report.lines[i].errors[k]).size());
    left -= width + 2;
  }
  for (const std::size_t i : shown) {
    table.rows.push_back({shortened(report.lines[i].query, left)});
    for (const auto& error : report.lines[i].errors) table.rows.back().push_back(cell_of(error));
  }
  std::string text = table.to_text();
  if (shown.size() < report.lines.size()) {
    text += "and " + with_separators(report.lines.size() - shown.size()) + " more with smaller errors at epsilon " +
            report.epsilons[place] + "; -o csv lists all\n";
  }
  return text + remarks_on(report, shown);
}

console::Table to_table(const ErrorReport& report) {
  console::Table table{{"query"}, {}};
  for (const std::string& epsilon : report.epsilons) table.header.push_back("half_width_at_" + epsilon);
  for (const ErrorReport::Line& line : report.lines) {
    table.rows.push_back({line.query});
    for (const auto& error : line.errors) {
      table.rows.back().push_back(error ? console::exact_number(error->half_width) : "");
    }
  }
  return table;
}

Json to_json(const Result<planner::ExpectedError>& error) {
  if (!error) return {{"error", error_json(error.error())}};
  return {{"half_width", error->half_width}, {"at_most", error->at_most}, {"near_normal", error->near_normal}};
}

Json to_json(const ErrorReport& report) {
  Json lines = Json::array();
  for (const ErrorReport::Line& line : report.lines) {
    Json errors = Json::array();
    for (std::size_t k = 0; k < report.epsilons.size(); ++k) {
      errors.push_back(to_json(line.errors[k]));
      errors.back()["epsilon"] = report.epsilons[k];
    }
    lines.push_back({{"query", line.query}, {"errors", std::move(errors)}});
  }
  return lines;
}

}  // namespace hearsay::cli
