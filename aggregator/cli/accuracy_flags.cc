#include "aggregator/cli/accuracy_flags.h"

#include <CLI/CLI.hpp>
#include <string>

#include "aggregator/console/arguments.h"

namespace hearsay::cli {
namespace {

constexpr std::uint64_t kMostPeople = std::uint64_t{1} << 53U;

}  // namespace

void AccuracyFlags::add_to(CLI::App& command) {
  const CLI::Validator within(
      [](const std::string& text) {
        double value = 0;
        const bool valid = CLI::detail::lexical_cast(text, value) && value > 0 && value < 1;
        return valid ? "" : "'" + text + "' is not a number strictly between 0 and 1";
      },
      "");
  auto* alpha = command.add_option("--alpha", target.alpha, "Largest error you accept; 0.01 is ± 1 percentage point")
                    ->capture_default_str()
                    ->check(within);
  alpha->each([this](const std::string&) { alpha_given = true; });
  command.add_option("--beta", target.beta, "Probability that an error is larger than --alpha")
      ->capture_default_str()
      ->check(within);
  auto* total = command.add_option(
      "--users", users, "Show the errors that this many users leave, at several ε, instead of the users needed");
  auto* each = command.add_option("--users-per-window", per_window,
                                  "Like --users, but with this many users in each window of the reports' times");
  for (CLI::Option* option : {total, each}) console::require_whole(*option, 1, kMostPeople);
}

Result<void> AccuracyFlags::check() const {
  if (of_users() && alpha_given) {
    const std::string given = users > 0 ? "--users" : "--users-per-window";
    return Error{ErrorCode::kInvalidArgument, "--alpha asks how many users are needed, and " + given +
                                                  " asks for the errors of that many users: leave out " + given +
                                                  " to get the number of users, or --alpha to get the errors"};
  }
  if (users > 0 && per_window > 0) {
    return Error{ErrorCode::kInvalidArgument, "give --users or --users-per-window, not both"};
  }
  return {};
}

}  // namespace hearsay::cli
