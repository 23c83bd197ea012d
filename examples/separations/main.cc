// Shows how little local and non-interactive mechanisms tell about parities, beside the error of an interactive one.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>

#include "aggregator/console/arguments.h"
#include "aggregator/console/input.h"
#include "aggregator/console/output.h"
#include "aggregator/console/program.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/privacy/samplers.h"
#include "examples/separations/local_channels.h"
#include "examples/separations/noninteractive.h"
#include "examples/separations/parity_gap.h"

namespace hearsay::examples {
namespace {

struct Flags {
  std::uint32_t bits;
  std::uint32_t rows = 2;
  std::uint32_t pairs = 100;
  std::string epsilon = "1";
  console::OutputFormat format = console::OutputFormat::kText;
};

// Returns E|Y| of discrete Laplace noise Y of scale 1/ε: the mean error of an interactive curator's count, in records.
double interactive_error(double epsilon) {
  const double q = std::exp(-1 / (1 / epsilon));
  return 2 * q / (1 - q * q);
}

class Numbers {
 public:
  Numbers(const Flags& flags, std::vector<std::string> header) : flags_(flags), table_{std::move(header), {}} {}
  void add(const std::string& name, const std::vector<double>& values) {
    std::vector<std::string> row{name};
    Json object{{table_.header[0], name}};
    for (std::size_t i = 0; i < values.size(); ++i) {
      row.push_back(console::number(values[i], flags_.format));
      object[table_.header[i + 1]] = values[i];
    }
    table_.rows.push_back(std::move(row));
    json_.push_back(std::move(object));
  }
  int print(const std::vector<std::string>& sentences) const {
    console::print(table_, json_, flags_.format);
    if (flags_.format != console::OutputFormat::kText) return 0;
    std::cout << '\n';
    for (const std::string& sentence : sentences) std::cout << sentence << '\n';
    return 0;
  }

 private:
  const Flags& flags_;
  console::Table table_;
  Json json_ = Json::array();
};

std::string text(double value) { return console::short_number(value); }

Result<int> run_local(const Flags& flags) {
  HEARSAY_TRY(const Epsilon epsilon, console::named("--epsilon", Epsilon::parse(flags.epsilon)));
  HEARSAY_TRY(const auto channels, local_channels(flags.bits, epsilon));
  const double eps = epsilon.approximate();
  const DistanceBounds bounds = distance_bounds(flags.bits, eps, 1.0 / 3);
  Numbers numbers(flags, {"channel", "largest", "two thirds below", "mean", "users"});
  for (const LocalChannel& channel : channels) {
    const double two_thirds = quantile(channel, 2.0 / 3);
    numbers.add(channel.name, {quantile(channel, 1), two_thirds, mean(channel),
                               two_thirds > 0 ? std::ceil(0.5 / two_thirds) : HUGE_VAL});
  }
  return numbers.print(
      {"The statistical difference (SD) of one report between records of parity 0 and of parity 1, over all parities.",
       "Under every channel the mean is at most " + text(bounds.mean) +
           ", and two thirds of the parities are at most " + text(bounds.lemma_2) + " (Lemma 2; its proof ends with " +
           text(bounds.as_printed) + ").",
       "users: with fewer users, nobody can tell a share of 0 % from 100 % for two thirds of the parities (n·SD < 1/2, "
       "Proposition 2).",
       "An interactive curator's count is off by " + text(interactive_error(eps)) + " records, whatever the bits."});
}

Result<int> run_central(const Flags& flags) {
  HEARSAY_TRY(const Epsilon epsilon, console::named("--epsilon", Epsilon::parse(flags.epsilon)));
  HEARSAY_TRY(const auto releases, noninteractive_releases(flags.bits, flags.rows, epsilon));
  const ReleaseBounds bounds = release_bounds(flags.bits, flags.rows, epsilon.approximate());
  Numbers numbers(flags, {"release", "largest", "two thirds below", "mean"});
  for (const ReleaseDistances& release : releases) {
    std::vector<double> sorted = release.distances;
    std::sort(sorted.begin(), sorted.end());
    const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
    const auto rank = static_cast<std::size_t>(std::ceil(2 * static_cast<double>(sorted.size()) / 3));
    numbers.add(release.name, {sorted.back(), sorted[rank - 1], sum / static_cast<double>(sorted.size())});
  }
  return numbers.print(
      {"The statistical difference of one release between databases in which every row satisfies the parity, and "
       "databases in which no row does.",
       "For every release the mean is at most " + text(bounds.mean) + ", and two thirds of the parities are at most " +
           text(bounds.theorem_3) + " (Theorem 3; a difference is at most 1).",
       "An interactive curator's count is off by " + text(interactive_error(epsilon.approximate())) +
           " records, whatever the bits."});
}

// Makes n different rows. `shared` of these rows are rows of `other`.
std::vector<std::uint32_t> random_rows(const Flags& flags, std::span<const std::uint32_t> other, std::size_t shared) {
  std::vector<std::uint32_t> rows(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(shared));
  while (rows.size() < flags.rows) {
    const auto row = static_cast<std::uint32_t>(uniform_below(system_bit_source(), std::uint64_t{1} << flags.bits));
    const auto known = [row](std::span<const std::uint32_t> set) {
      return std::find(set.begin(), set.end(), row) != set.end();
    };
    if (!known(rows) && !known(other)) rows.push_back(row);
  }
  return rows;
}

// Prints a line on standard error before work that takes longer than a minute.
void announce_gap(const Flags& flags) {
  // Seconds for one value in a step of the transform, and for comparing two rows.
  constexpr double kSecondsEach = 5e-9;
  constexpr double kMinute = 60;
  const double rows = flags.rows;
  const double seconds = kSecondsEach * flags.pairs * (std::exp2(flags.bits) * flags.bits + rows * rows);
  if (seconds <= kMinute) return;
  std::cerr << flags.pairs << " pairs of " << flags.rows << " rows take about "
            << static_cast<std::uint64_t>(seconds / kMinute) + 1 << " minutes; fewer --pairs take less\n";
}

Result<int> run_gap(const Flags& flags) {
  if (flags.bits > 20 || std::uint64_t{flags.rows} * 2 > std::uint64_t{1} << flags.bits) {
    return Error{ErrorCode::kDomainTooLarge, "--rows must be at most half of the 2^bits values, and --bits at most 20"};
  }
  announce_gap(flags);
  double least = 1;
  double sum = 0;
  for (std::uint32_t pair = 0; pair < flags.pairs; ++pair) {
    const std::vector<std::uint32_t> first = random_rows(flags, {}, 0);
    HEARSAY_TRY(const ParityGap found, widest_parity(first, random_rows(flags, first, flags.rows / 2), flags.bits));
    least = std::min(least, found.gap);
    sum += found.gap;
  }
  Numbers numbers(flags, {"pairs", "least", "mean", "proved"});
  numbers.add("random, half of the rows shared", {least, sum / flags.pairs, parity_gap_bound(flags.rows)});
  const int status = numbers.print(
      {"The largest difference between two databases in the share of rows of even parity, over all parities.",
       "A private synthetic database shares fewer than half of the rows, so the share of some parity is wrong by as "
       "much."});
  return least >= parity_gap_bound(flags.rows) ? status : 1;
}

void add_command(CLI::App& app, const char* name, const char* about, Flags& flags, console::Action& chosen,
                 Result<int> (*run)(const Flags&)) {
  CLI::App* command = app.add_subcommand(name, about);
  console::require_whole(*command->add_option("--bits", flags.bits, "Number of bits of a row")->capture_default_str(),
                         1, 1'000);
  if (run == run_gap) {
    auto* pairs = command->add_option("--pairs", flags.pairs, "Number of pairs of databases");
    console::require_whole(*pairs->capture_default_str(), 1, 1'000'000);
  } else {
    command->add_option("--epsilon", flags.epsilon, "Privacy parameter; smaller is more private")
        ->capture_default_str();
  }
  if (run != run_local) {
    console::require_whole(*command->add_option("--rows", flags.rows, "Number of rows")->capture_default_str(), 1,
                           1'000'000);
  }
  console::add_output_flag(*command, flags.format);
  command->callback([&chosen, &flags, run] { chosen = [&flags, run] { return run(flags); }; });
}

}  // namespace
}  // namespace hearsay::examples

int main(int argc, char** argv) {
  using namespace hearsay;
  CLI::App app("separations: how little reports and published databases tell about parities.", "separations");
  app.require_subcommand(1);
  examples::Flags local{8};
  examples::Flags central{4};  // few bits, since all rows of a database together have at most 12
  examples::Flags gap{8};
  console::Action chosen;
  examples::add_command(app, "local", "What one report tells about a parity, exactly, for ten local channels", local,
                        chosen, examples::run_local);
  examples::add_command(app, "central", "What a published database of few rows tells about a parity, exactly", central,
                        chosen, examples::run_central);
  examples::add_command(app, "parity-gap", "How far apart two databases are that share half of their rows", gap, chosen,
                        examples::run_gap);
  return console::run_program(app, {argv + 1, argv + argc}, chosen);
}
