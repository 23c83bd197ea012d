// Runs the papers' experiments again, and prints each figure beside the paper's.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "aggregator/console/arguments.h"
#include "aggregator/console/output.h"
#include "aggregator/console/program.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "examples/reproduce_papers/figure.h"

namespace hearsay::examples {
namespace {

struct Flags {
  std::vector<std::string> names;
  bool list = false;
  std::uint64_t seed = 1;
  console::OutputFormat format = console::OutputFormat::kText;
};

std::vector<Experiment> all_experiments() {
  std::vector<Experiment> all = cell_experiments();
  for (Experiment& one : limit_experiments()) all.push_back(std::move(one));
  return all;
}

int list_experiments(const Flags& flags) {
  console::Table table{{"experiment", "about"}, {}};
  Json json = Json::array();
  for (const Experiment& one : all_experiments()) {
    table.rows.push_back({one.name, one.about});
    json.push_back({{"experiment", one.name}, {"about", one.about}});
  }
  console::print(table, json, flags.format);
  return 0;
}

Result<int> run(const Flags& flags) {
  if (flags.list) return list_experiments(flags);
  const std::vector<Experiment> all = all_experiments();
  for (const std::string& name : flags.names) {
    if (std::none_of(all.begin(), all.end(), [&](const Experiment& one) { return one.name == name; })) {
      return Error{ErrorCode::kNotFound, "there is no experiment '" + name + "'; --list names them"};
    }
  }
  std::mt19937_64 made_up(flags.seed);
  console::Table table{{"experiment", "figure", "paper", "here", "note"}, {}};
  Json json = Json::array();
  for (const Experiment& one : all) {
    if (!flags.names.empty() && std::find(flags.names.begin(), flags.names.end(), one.name) == flags.names.end())
      continue;
    HEARSAY_TRY(const auto figures, one.run({system_bit_source(), made_up}));
    for (const Figure& figure : figures) {
      table.rows.push_back({one.name, figure.what, figure.paper, figure.here, figure.note});
      json.push_back({{"experiment", one.name},
                      {"figure", figure.what},
                      {"paper", figure.paper},
                      {"here", figure.here},
                      {"note", figure.note}});
    }
  }
  console::print(table, json, flags.format);
  return 0;
}

}  // namespace
}  // namespace hearsay::examples

int main(int argc, char** argv) {
  using namespace hearsay;
  CLI::App app("reproduce_papers: runs the papers' experiments again, on synthetic data of the stated sizes.",
               "reproduce_papers");
  examples::Flags flags;
  app.add_option("experiment", flags.names, "Names of experiments to run; default: all");
  app.add_flag("--list", flags.list, "List the experiments");
  app.add_option("--seed", flags.seed, "Seed of made-up data and random queries; private noise does not depend on it")
      ->capture_default_str();
  console::add_output_flag(app, flags.format);
  return console::run_program(app, {argv + 1, argv + argc}, [&flags] { return examples::run(flags); });
}
