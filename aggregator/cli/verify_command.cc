#include <iostream>
#include <memory>

#include "aggregator/cli/commands.h"
#include "aggregator/store/store.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

struct VerifyFlags {
  std::string store;
  OutputFormat format = OutputFormat::kText;
};

Result<int> verify_store(const VerifyFlags& flags) {
  HEARSAY_TRY(const auto store, open_rocks_store({.path = flags.store, .read_only = true}));
  HEARSAY_TRY(const VerifyResult result, verify(*store));
  const bool right = result.differences.empty();
  Table table{
      {"tasks", "reports", "differences"},
      {{std::to_string(result.tasks), std::to_string(result.reports), std::to_string(result.differences.size())}}};
  print(table, {{"tasks", result.tasks}, {"reports", result.reports}, {"differences", result.differences}},
        flags.format);
  if (flags.format != OutputFormat::kJson) {
    for (const std::string& difference : result.differences) std::cerr << difference << '\n';
  }
  return right ? 0 : 1;
}

}  // namespace

void add_verify_command(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<VerifyFlags>();
  CLI::App* command = app.add_subcommand("verify", "Recompute every tally from the stored reports and compare");
  command->add_option("store", flags->store, "Directory of the store")->required();
  add_output_flag(*command, flags->format);
  command->callback([&chosen, flags] { chosen = [flags] { return verify_store(*flags); }; });
}

}  // namespace hearsay::aggregator
