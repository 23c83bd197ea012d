#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <memory>
#include <vector>

#include "aggregator/central/calibration.h"
#include "aggregator/central/cli/class_flags.h"
#include "aggregator/central/cli/dimension_commands.h"
#include "aggregator/central/dimensions/accuracy_limits.h"
#include "aggregator/central/synthetic/general_release.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

struct DimensionsFlags {
  ClassFlags queries;
  std::string gamma = "1/2";
  std::string epsilon = "1";
  double delta = 0.05;
  double error = 0.1;
  console::OutputFormat format = console::OutputFormat::kText;
};

struct Facts {
  console::Table table{{"item", "value"}, {}};
  Json json = Json::object();

  void add(const std::string& item, const char* key, double value) {
    table.rows.push_back({item, console::short_number(value, 9)});
    json[key] = value;
  }
  void add(const std::string& item, const char* key, const std::string& value) {
    table.rows.push_back({item, value});
    json[key] = value;
  }
};

std::string elements_text(const Shattering& found) {
  std::string text;
  for (const ShatteredElement& one : found.elements) text += (text.empty() ? "" : " ") + std::to_string(one.element);
  return text.empty() ? "none" : text;
}

// Adds sizes of the synthetic database. For each size, adds the number of records that suffices by Theorem 3.1 of Blum
// et al. 2008.
Result<void> add_sufficient(const QueryClass& queries, const DimensionsFlags& flags, double epsilon, Facts& facts) {
  const auto add = [&](const char* by, const char* key, std::uint64_t size) -> Result<void> {
    HEARSAY_TRY(const std::uint64_t rows,
                release_rows(log_multisets(queries.domain(), size), flags.error, epsilon, flags.delta));
    facts.add(std::string("synthetic size by ") + by, (std::string(key) + "_size").c_str(), static_cast<double>(size));
    facts.add(std::string("records that suffice by ") + by, (std::string(key) + "_records").c_str(),
              static_cast<double>(rows));
    return {};
  };
  HEARSAY_TRY(const std::uint64_t finite, synthetic_size(std::log(static_cast<double>(queries.size())), flags.error));
  HEARSAY_CHECK_OK(add("log |C|", "log_class", finite));
  HEARSAY_TRY(const Rational scale, fat_scale(flags.error));
  HEARSAY_TRY(const Shattering shattered, fat_shattering(queries, scale));
  if (queries.unit() == 1) {
    HEARSAY_TRY(const std::uint64_t size, vc_synthetic_size(shattered.dimension(), flags.error));
    return add("the VC dimension", "vc", size);
  }
  facts.add("dimension at error/64", "fat_dimension", static_cast<double>(shattered.dimension()));
  HEARSAY_TRY(const std::uint64_t size, fat_synthetic_size(shattered.dimension(), flags.error));
  return add("the fat-shattering dimension", "fat", size);
}

Result<void> warn_of_time(const QueryClass& queries) {
  constexpr double kQuick = 0x1p27;
  HEARSAY_TRY(const std::vector<std::uint32_t> gaps, weight_gaps(queries));
  const auto elements = static_cast<double>(queries.domain());
  const auto levels = static_cast<double>(gaps.size());
  if (static_cast<double>(queries.size()) * elements * elements / 2 * levels * levels / 2 > kQuick) {
    std::cerr << "hearsay-central dimensions: this may take up to about a minute\n";
  }
  return {};
}

Result<int> run_dimensions(const DimensionsFlags& flags) {
  HEARSAY_TRY(const QueryClass queries, flags.queries.load());
  const auto scale = Rational::parse_fraction(flags.gamma);
  if (!scale) {
    return Error{scale.error().code, "--gamma: '" + flags.gamma + "' is not a fraction like 1/4, in (0, 1/2]"};
  }
  const Rational& gamma = *scale;
  HEARSAY_TRY(const Epsilon parsed, console::named("--epsilon", Epsilon::parse(flags.epsilon)));
  const double epsilon = exact(parsed).approximate();
  HEARSAY_CHECK_OK(warn_of_time(queries));
  Facts facts;
  facts.add("class", "class", flags.queries.text());
  facts.add("queries", "queries", static_cast<double>(queries.size()));
  facts.add("elements", "elements", static_cast<double>(queries.domain()));
  facts.add("log2 of the queries", "log2_queries", std::log2(static_cast<double>(queries.size())));
  HEARSAY_TRY(const Shattering found, console::named("--gamma", fat_shattering(queries, gamma)));
  facts.add(queries.unit() == 1 ? "VC dimension" : "fat-shattering dimension", "dimension",
            static_cast<double>(found.dimension()));
  facts.add("shattered elements", "shattered", elements_text(found));
  HEARSAY_TRY(const auto lower, accuracy_lower_bound(queries, epsilon, flags.delta, Neighbours::kAddRemove));
  facts.add("lower bound on the error of private answers, in records", "error_lower_bound", lower.error);
  facts.add("elements that show the bound", "witness", static_cast<double>(lower.witness.dimension()));
  facts.add("gap between the low and the high weight of these elements", "gap", lower.gap);
  HEARSAY_CHECK_OK(add_sufficient(queries, flags, epsilon, facts));
  console::print(facts.table, facts.json, flags.format);
  return 0;
}

}  // namespace

void add_dimensions_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<DimensionsFlags>();
  CLI::App* command = app.add_subcommand(
      "dimensions",
      "Compute the fat-shattering dimension of a class of queries, how accurate private answers to the class can be, "
      "and how many records suffice");
  flags->queries.add_to(*command);
  command
      ->add_option("--gamma", flags->gamma,
                   "Scale of the dimension, in (0, 1/2]; has no effect on queries whose weights are only 0 and 1")
      ->capture_default_str();
  command->add_option("--epsilon", flags->epsilon, "Privacy parameter of the releases; smaller is more private")
      ->capture_default_str();
  command->add_option("--delta", flags->delta, "Probability with which a release may exceed its error")
      ->capture_default_str();
  command->add_option("--error", flags->error, "Largest error of a fraction that a release may have")
      ->capture_default_str();
  console::add_output_flag(*command, flags->format);
  console::set_examples(*command, {{"", "hearsay-central dimensions intervals --size 16"}});
  command->callback([&chosen, flags] { chosen = [flags] { return run_dimensions(*flags); }; });
}

}  // namespace hearsay::central
