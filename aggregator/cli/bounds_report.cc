#include "aggregator/cli/bounds_report.h"

#include <algorithm>
#include <cmath>

#include "aggregator/bounds/impossibility.h"
#include "aggregator/cli/layout.h"
#include "common/base/number_text.h"
#include "common/base/strict_json.h"

namespace hearsay::cli {
namespace {

constexpr double kMostUsers = 0x1p53;

// Rounds upwards. Above kMostUsers, returns "above" and this number.
std::string users_text(double users) {
  if (!(users <= kMostUsers)) return "above " + console::short_number(kMostUsers);
  return with_separators(static_cast<std::uint64_t>(std::ceil(users)));
}

Json users_json(double users) { return users <= kMostUsers ? Json(std::ceil(users)) : Json(nullptr); }

std::string class_text(const BoundsReport& report) {
  if (report.spec.name.empty()) return "the matrix of " + report.matrix_file;
  std::string text = report.spec.name + " of " + counted(report.spec.attributes, "attribute");
  if (report.spec.name == "boxes" || report.spec.name == "thresholds") {
    return text + " of " + counted(report.spec.values, "value");
  }
  if (report.spec.size) {
    text +=
        ", at most " + counted(*report.spec.size, report.spec.name == "decision-lists" ? "label change" : "literal");
  }
  return text;
}

std::string heading(const BoundsReport& report) {
  return paragraph(class_text(report) + ": " +
                   (report.queries == 1 ? "1 query" : with_separators(report.queries) + " queries") + " over " +
                   counted(report.records, "record") + "; epsilon " + report.epsilon_text + ", beta " +
                   console::short_number(report.beta));
}

struct Quantity {
  std::string key;
  std::string what;  // for people
  double low;
  double high;
};

std::vector<Quantity> quantities(const bounds::ClassBounds& bounds) {
  std::vector<Quantity> list{{"forster", "Forster bound FB(A)", bounds.forster.low, bounds.forster.high},
                             {"class_forster", "Forster bound of averages over both answers", bounds.class_forster.low,
                              bounds.class_forster.high}};
  if (bounds.margins) {
    const bounds::ClassBounds::Margins& margins = *bounds.margins;
    list.push_back(
        {"row_margin", "largest margin, averaged over records", margins.row_average.low, margins.row_average.high});
    list.push_back({"class_margin", "largest margin, averaged over both answers", margins.class_average.low,
                    margins.class_average.high});
    list.push_back({"error_free_margin", "largest margin of an error-free arrangement, averaged over records",
                    margins.error_free.low, margins.error_free.high});
  }
  list.push_back({"sq_dimension", "statistical query dimension", static_cast<double>(bounds.sq_dimension.low),
                  static_cast<double>(bounds.sq_dimension.high)});
  return list;
}

struct UsersLine {
  std::string key;
  double users;
  std::string what;
};

std::vector<UsersLine> users_lines(const BoundsReport& report) {
  const bounds::ClassBounds& bounds = *report.bounds;
  std::vector<UsersLine> lines{
      {"needed_hellinger", bounds.needed.hellinger, "needed by any scheme: E SD² <= n((e^(ε/2)-1)/FB)²"},
      {"needed_expectation", bounds.needed.expectation, "needed by any scheme: E SD <= n·sinh(ε/2)/FB"}};
  if (bounds.needed.theorem3) {
    lines.push_back({"needed_theorem3", *bounds.needed.theorem3, "needed by any scheme: Theorem 3, SD <= 4n·U^(1/3)"});
  }
  const std::string subclass = bounds.almost_balanced.queries == report.queries
                                   ? ""
                                   : ", on the " + with_separators(bounds.almost_balanced.queries) +
                                         (bounds.almost_balanced.queries == 1 ? " query" : " queries") +
                                         " whose imbalance is at most " +
                                         console::short_number(bounds.almost_balanced.imbalance);
  lines.push_back({"needed_theorem4", bounds.needed.theorem4, "needed by any scheme: Theorem 4" + subclass});
  if (report.best && report.best->users) {
    lines.push_back({"planned", static_cast<double>(*report.best->users),
                     "enough: the planner's best mechanism, " + report.best->mechanism});
  }
  if (bounds.users_by_arrangement) {
    lines.push_back({"enough_theorem7", *bounds.users_by_arrangement,
                     "enough: Theorem 7 with the arrangement of the largest margin over both answers, of " +
                         counted(static_cast<std::uint64_t>(bounds.margins->class_average.arrangement.records.rows()),
                                 "dimension")});
  }
  return lines;
}

// Returns a text about larger classes of the same kind, or an empty text for a matrix from a file.
std::string growth_text(const BoundsReport& report) {
  const std::string& name = report.spec.name;
  if (name.empty()) return "";
  if (name == "parities" && (!report.spec.size || *report.spec.size == report.spec.attributes)) {
    return "Not possible for many attributes: every further attribute doubles the users that any scheme needs "
           "(Theorem 1).";
  }
  if (name == "parities") {
    return "The users that any scheme needs grow like the number of these parities. Many attributes are possible only "
           "if the size of the parities stays small (Theorem 1).";
  }
  if (name == "decision-lists") {
    return "Possible for many attributes while the number of label changes stays small: the users needed are then a "
           "polynomial in the number of attributes (Theorems 2 and 9).";
  }
  return "Possible for many attributes: the users needed are a polynomial in the number of attributes and values "
         "(Theorem 2, Lemma 9).";
}

std::string verdict(const BoundsReport& report) {
  const bounds::ClassBounds& bounds = *report.bounds;
  std::string text = paragraph(
      "Not possible with fewer than " + users_text(bounds.needed.most()) +
      " users, if each user sends one report that is private by itself and does not depend on the reports of "
      "others (Definition 2): some query of the class is then answered wrongly by 1/2 or more with a probability "
      "above " +
      console::short_number(report.beta) +
      ", although all people satisfy the query, or none does (weak usefulness, Definition 6).");
  const double difference = std::min(1.0, bounds::expected_difference(1, report.epsilon, bounds.class_forster.low));
  text += paragraph(
      "A test that sees one report, and must tell these two cases apart, errs with a probability of at least " +
      console::short_number(bounds::bayes_error(difference)) + " for the average query (Lemma 1).");
  if (report.best && report.best->users) {
    text +=
        paragraph("Possible with " + with_separators(*report.best->users) + " users: " + report.best->mechanism + ".");
  } else if (report.best) {
    text += paragraph("No mechanism is planned: " + report.best->why_not + ".");
  }
  if (report.projection) {
    text +=
        paragraph("Projected to " + counted(static_cast<std::uint64_t>(report.projection->dimensions), "dimension") +
                  ", with one common scale and padding, the least margin over both answers is " +
                  console::short_number(report.projection->measured) + "; before the projection it was " +
                  console::short_number(report.projection->before) + ". Theorem 8 promises an eighth of this, " +
                  console::short_number(report.projection->before / 8) + ", from " +
                  users_text(report.projection->enough) + " dimensions on.");
  }
  if (report.written) {
    text +=
        paragraph("Wrote " + report.written->file + ", a task of the arrangement `explicit` with " +
                  counted(report.written->dimensions, "dimension") + " and sensitivity " +
                  with_separators(report.written->sensitivity) +
                  ". After the rounding to integers of one byte, the least margin over both answers is " +
                  console::short_number(report.written->after, 6) + "; before the rounding it was " +
                  console::short_number(report.written->before, 6) +
                  ". For random people the task's answers are right on average (average-case). For every population "
                  "an answer is right only if the query is a weighted sum of the coordinates.");
  }
  const std::string growth = growth_text(report);
  if (!growth.empty()) text += paragraph(growth);
  if (!bounds.margins) {
    text += paragraph(
        "The class is too large to maximise over the weights q. The bounds shown are those of equal weights, and "
        "margins are left out.");
  }
  return text;
}

std::string high_text(double high) { return std::isfinite(high) ? console::short_number(high, 6) : "-"; }

}  // namespace

std::string text_of(const BoundsReport& report) {
  console::Table found{{"at least", "at most", "what"}, {}};
  for (const Quantity& quantity : quantities(*report.bounds)) {
    found.rows.push_back({console::short_number(quantity.low, 6), high_text(quantity.high), quantity.what});
  }
  console::Table users{{"users", "what"}, {}};
  for (const UsersLine& line : users_lines(report)) users.rows.push_back({users_text(line.users), line.what});
  return heading(report) + '\n' + to_text(found) + '\n' + to_text(users) + '\n' + verdict(report);
}

console::Table table_of(const BoundsReport& report) {
  console::Table table{{"name", "low", "high"}, {}};
  for (const Quantity& quantity : quantities(*report.bounds)) {
    table.rows.push_back({quantity.key, console::exact_number(quantity.low),
                          std::isfinite(quantity.high) ? console::exact_number(quantity.high) : ""});
  }
  for (const UsersLine& line : users_lines(report)) {
    const bool enough = !line.key.starts_with("needed");
    const std::string number = line.users <= kMostUsers ? console::exact_number(std::ceil(line.users)) : "";
    table.rows.push_back({line.key, enough ? "" : number, enough ? number : ""});
  }
  return table;
}

Json json_of(const BoundsReport& report) {
  const bounds::ClassBounds& bounds = *report.bounds;
  Json json{{"class", class_text(report)},
            {"records", report.records},
            {"queries", report.queries},
            {"epsilon", report.epsilon_text},
            {"beta", report.beta},
            {"imbalance", bounds.imbalance},
            {"weights", bounds.forster.weights},
            {"sq_queries", bounds.sq_dimension.queries},
            {"almost_balanced",
             {{"imbalance", bounds.almost_balanced.imbalance},
              {"queries", bounds.almost_balanced.queries},
              {"forster", bounds.almost_balanced.forster}}}};
  for (const Quantity& quantity : quantities(bounds)) {
    json[quantity.key] = {{"low", quantity.low},
                          {"high", std::isfinite(quantity.high) ? Json(quantity.high) : Json(nullptr)}};
  }
  for (const UsersLine& line : users_lines(report)) json[line.key] = users_json(line.users);
  if (report.projection) {
    json["projection"] = {{"dimensions", report.projection->dimensions},
                          {"margin", report.projection->measured},
                          {"margin_before", report.projection->before},
                          {"enough_dimensions", report.projection->enough}};
  }
  if (report.written) {
    json["written"] = {{"file", report.written->file},
                       {"task", report.written->id},
                       {"dimensions", report.written->dimensions},
                       {"sensitivity", report.written->sensitivity},
                       {"margin", report.written->after},
                       {"margin_before", report.written->before}};
  }
  json["needed"] = users_json(bounds.needed.most());
  if (report.best && !report.best->users) json["not_planned"] = report.best->why_not;
  if (report.best && report.best->users) json["mechanism"] = report.best->mechanism;
  return json;
}

}  // namespace hearsay::cli
