#include "examples/comparison/source.h"

#include <CLI/CLI.hpp>
#include <cmath>

#include "aggregator/console/input.h"
#include "common/base/try.h"
#include "examples/comparison/synthetic.h"

namespace hearsay::examples {
namespace {

constexpr std::size_t kSyntheticRows = 48'842;  // the number of rows of the census table "Adult"
constexpr std::size_t kLeastUsers = 300;        // smallest number of users in a chart

}  // namespace

void SourceFlags::add_to(CLI::App& app) {
  app.add_option("--csv", csv.path, "People from a CSV file; default: the Berkeley admissions of 1973");
  app.add_option("--schema", schema, "JSON file with the schema of the CSV file")->needs("--csv");
  app.get_option("--csv")->needs("--schema");
  app.add_option("--companion", csv.companion, "Companion document of the CSV file; default: the cells are values")
      ->needs("--csv");
  app.add_flag("--ignore-unknown-columns", csv.ignore_unknown_columns, "Read only the schema's columns of the CSV file")
      ->needs("--csv");
  app.add_option("--synthetic", synthetic, "Made-up people with so many skewed, correlated booleans")
      ->check(CLI::Range(std::size_t{1}, Schema::kMaxAttributes))
      ->excludes("--csv");
  app.add_option("--values", values, "The synthetic attributes are ordered, with so many values each")
      ->check(CLI::Range(std::uint32_t{2}, std::uint32_t{1} << 16U))
      ->needs("--synthetic");
  app.add_flag("--uniform", uniform, "The synthetic attributes are uniform and independent")->needs("--synthetic");
}

Result<Source> load(const SourceFlags& flags) {
  if (flags.synthetic > 0) {
    const auto kind = flags.uniform ? SyntheticKind::kUniform : SyntheticKind::kSkewed;
    if (flags.values > 0) {
      HEARSAY_TRY(Population people,
                  synthetic_ordered_population(flags.synthetic, flags.values, kSyntheticRows, kind, flags.seed));
      const std::string name = std::to_string(flags.synthetic) + (flags.uniform ? " uniform" : " skewed") +
                               " attributes of " + std::to_string(flags.values) + " values";
      return Source{name, std::move(people)};
    }
    HEARSAY_TRY(Population people, synthetic_population(flags.synthetic, kSyntheticRows, kind, flags.seed));
    const std::string name = std::to_string(flags.synthetic) + (flags.uniform ? " fair coins" : " skewed booleans");
    return Source{name, std::move(people)};
  }
  if (flags.csv.path.empty()) {
    HEARSAY_TRY(Population people, berkeley_admissions());
    return Source{"Berkeley admissions 1973", std::move(people)};
  }
  HEARSAY_TRY(const std::string text, console::read_text(flags.schema));
  HEARSAY_TRY(const Schema schema, Schema::parse(text));
  HEARSAY_TRY(Population people, read_csv(schema, flags.csv));
  return Source{flags.csv.path, std::move(people)};
}

std::vector<std::uint32_t> values_up_to(std::uint32_t most) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t values = 8; values < most; values *= 2) sizes.push_back(values);
  sizes.push_back(most);
  return sizes;
}

std::vector<std::size_t> sizes_up_to(std::size_t most) {
  std::vector<std::size_t> sizes;
  for (int i = 0;; ++i) {
    const auto users = static_cast<std::size_t>(std::llround(static_cast<double>(most) * std::pow(10.0, -0.5 * i)));
    if (i > 0 && users < kLeastUsers) break;
    sizes.insert(sizes.begin(), users);
  }
  return sizes;
}

}  // namespace hearsay::examples
