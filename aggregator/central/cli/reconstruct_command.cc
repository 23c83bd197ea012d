#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <iostream>
#include <memory>

#include "aggregator/central/calibration.h"
#include "aggregator/central/cli/class_flags.h"
#include "aggregator/central/cli/dimension_commands.h"
#include "aggregator/central/dimensions/accuracy_limits.h"
#include "aggregator/central/dimensions/attacked_releases.h"
#include "aggregator/console/arguments.h"
#include "aggregator/console/help.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

struct ReconstructFlags {
  ClassFlags queries;
  std::string epsilon = "1";
  std::string release = "laplace";
  std::uint64_t runs = 20;
  console::OutputFormat format = console::OutputFormat::kText;
};

// Prints a line on standard error before an attack of more than a minute.
void announce_attack(const QueryClass& queries, std::uint64_t runs) {
  constexpr double kSecondsEach = 5e-8;  // a run's seconds for each weight of the class
  constexpr double kMinute = 60;
  const double cells = static_cast<double>(queries.domain()) * static_cast<double>(queries.size());
  const double seconds = kSecondsEach * cells * static_cast<double>(runs);
  if (seconds <= kMinute) return;
  std::cerr << runs << " runs over " << queries.size() << " queries take about "
            << static_cast<std::uint64_t>(seconds / kMinute) + 1 << " minutes; fewer --runs take less\n";
}

Result<int> run_reconstruct(const ReconstructFlags& flags) {
  HEARSAY_TRY(const QueryClass queries, flags.queries.load());
  HEARSAY_TRY(const Epsilon epsilon, console::named("--epsilon", Epsilon::parse(flags.epsilon)));
  HEARSAY_TRY(const auto lower, accuracy_lower_bound(queries, exact(epsilon).approximate(), 0, Neighbours::kAddRemove));
  HEARSAY_TRY(const Reconstruction attack, Reconstruction::create(queries, lower.witness));
  HEARSAY_TRY(const ReleaseKind kind, console::named("--release", release_kind(flags.release)));
  announce_attack(queries, flags.runs);
  HEARSAY_TRY(const AttackSummary found,
              attack_releases(queries, attack, kind, epsilon, flags.runs, system_bit_source()));
  const auto half = static_cast<double>(attack.elements()) / 2;
  console::Table table{{"item", "value"}, {}};
  const auto add = [&table](const char* item, double value) {
    table.rows.push_back({item, console::short_number(value)});
  };
  table.rows.push_back({"class", flags.queries.text()});
  table.rows.push_back({"release", flags.release + ", epsilon " + epsilon.to_string()});
  add("records in a secret", half);
  add("elements that a secret is drawn from", 2 * half);
  add("largest error of a run, in records, mean", found.mean_error);
  add("records found, mean", half - found.mean_missed);
  add("records that guessing finds, mean", half / 2);
  add("records that Lemma 2 of Roth 2010 promises, mean", half - found.mean_most_missed);
  add("lower bound on the mean error of a private release", lower.error);
  Json json{{"class", flags.queries.text()},   {"release", flags.release},
            {"epsilon", epsilon.to_string()},  {"secret", half},
            {"mean_error", found.mean_error},  {"found", half - found.mean_missed},
            {"by_guessing", half / 2},         {"at_least", half - found.mean_most_missed},
            {"error_lower_bound", lower.error}};
  console::print(table, json, flags.format);
  return 0;
}

}  // namespace

void add_reconstruct_command(CLI::App& app, console::Action& chosen) {
  auto flags = std::make_shared<ReconstructFlags>();
  CLI::App* command =
      app.add_subcommand("reconstruct", "Attack a release: get records back from the answers to a class of queries");
  flags->queries.add_to(*command);
  command->add_option("--epsilon", flags->epsilon, "Privacy parameter of the release; smaller is more private")
      ->capture_default_str();
  command->add_option("--release", flags->release, "The release to attack: laplace, synthetic, or exact (no privacy)")
      ->capture_default_str();
  CLI::Option* runs =
      command->add_option("--runs", flags->runs, "Number of runs; each attacks a secret drawn at random");
  console::require_whole(*runs->capture_default_str(), 1, 10'000);
  console::add_output_flag(*command, flags->format);
  console::set_examples(*command,
                        {{"", "hearsay-central reconstruct subsets --size 10 --release synthetic --epsilon 64"}});
  command->callback([&chosen, flags] { chosen = [flags] { return run_reconstruct(*flags); }; });
}

}  // namespace hearsay::central
