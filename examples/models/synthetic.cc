// Central mechanisms that publish a synthetic database: the general release, the linear release and the online median
// mechanism.
#include <cmath>
#include <limits>
#include <string>

#include "aggregator/central/median/median_session.h"
#include "aggregator/central/synthetic/general_release.h"
#include "aggregator/central/synthetic/linear_release.h"
#include "common/base/try.h"
#include "examples/models/model.h"
#include "examples/models/queried_cube.h"

namespace hearsay::examples {
namespace {

constexpr const char* kGeneral = "general release (Blum, Ligett, Roth)";
constexpr const char* kLinear = "linear release (Roth)";
constexpr const char* kMedian = "online median (Roth)";

// The largest number of databases that one release enumerates. The program makes some hundreds of releases.
constexpr std::uint64_t kMostDatabases = std::uint64_t{1} << 18U;
constexpr double kMostOperations = 0x1p25;
constexpr std::uint32_t kLargestSize = 1024;
constexpr double kMedianFailure = 0.05;  // probability that the median mechanism's error exceeds its bound

std::vector<std::uint64_t> histogram_of(const QueriedCube& cube, const Crowd& crowd) {
  std::vector<std::uint64_t> histogram(cube.patterns());
  for (const Record& record : crowd.people) ++histogram[cube.pattern_of(record)];
  return histogram;
}

// Returns the largest number of rows, up to kLargestSize, for which one release can enumerate all databases. Returns 0
// if one row is too many. With more rows, the best database is nearer to the truth.
std::uint32_t database_size(std::size_t domain, std::size_t queries) {
  std::uint32_t size = 0;
  while (size < kLargestSize) {
    const auto all = central::Multisets::create(domain, size + 1);
    if (!all || all->count() > kMostDatabases) break;
    const double each = static_cast<double>(std::min<std::size_t>(size + 1, domain) * queries + domain);
    if (static_cast<double>(all->count()) * each > kMostOperations) break;
    ++size;
  }
  return size;
}

std::vector<double> fractions(const QueriedCube& cube, const central::Counts& counts, std::uint32_t size) {
  std::vector<double> answers;
  for (const std::vector<std::uint32_t>& satisfied : cube.satisfied()) {
    std::uint64_t sum = 0;
    for (std::size_t p = 0; p < satisfied.size(); ++p) sum += std::uint64_t{satisfied[p]} * counts[p];
    answers.push_back(static_cast<double>(sum) / size);
  }
  return answers;
}

Result<central::QueryClass> class_of(const QueriedCube& cube) {
  std::vector<std::vector<std::uint8_t>> predicates;
  for (const auto& satisfied : cube.satisfied()) predicates.emplace_back(satisfied.begin(), satisfied.end());
  return central::QueryClass::predicates(predicates);
}

Model general_release(const Setting& setting, const QueriedCube& cube, std::uint32_t size) {
  const auto queries = class_of(cube);
  const auto mechanism = queries ? central::GeneralRelease::create(*queries, size, setting.epsilon) : queries.error();
  if (!mechanism) return refused_central(kGeneral, mechanism.error(), setting.queries.size());
  Model model = central_model(kGeneral, setting.queries.size());
  model.mechanism.run = [cube, size, mechanism = *mechanism](const Crowd& crowd,
                                                             const Randomness& random) -> Result<std::vector<double>> {
    HEARSAY_TRY(const auto database, mechanism.release(histogram_of(cube, crowd), random.bits));
    return fractions(cube, database.counts, size);
  };
  return model;
}

Model linear_release(const Setting& setting, const QueriedCube& cube, std::uint32_t size) {
  const auto queries = class_of(cube);
  const auto mechanism = queries ? central::LinearRelease::create(*queries, size, central::Neighbours::kReplaceOne,
                                                                  setting.epsilon, std::nullopt)
                                 : queries.error();
  if (!mechanism) return refused_central(kLinear, mechanism.error(), setting.queries.size());
  Model model = central_model(kLinear, setting.queries.size());
  model.note = "; n is public, so the output distribution is that of the general release";
  model.mechanism.run = [cube, mechanism = *mechanism](const Crowd& crowd,
                                                       const Randomness& random) -> Result<std::vector<double>> {
    HEARSAY_TRY(const auto scaled, mechanism.release(histogram_of(cube, crowd), random.bits));
    std::vector<double> answers;
    for (const std::vector<std::uint32_t>& satisfied : cube.satisfied()) {
      HEARSAY_TRY(const double answer, scaled.answer(std::vector<double>(satisfied.begin(), satisfied.end())));
      answers.push_back(answer / static_cast<double>(crowd.people.size()));
    }
    return answers;
  };
  return model;
}

Result<std::vector<double>> ask_in_turn(const QueriedCube& cube, const central::OnlineMedian& mechanism,
                                        const Crowd& crowd, BitSource& bits) {
  HEARSAY_TRY(auto session, central::MedianSession::start(mechanism, histogram_of(cube, crowd), bits));
  std::vector<double> answers;
  for (const std::vector<std::uint32_t>& satisfied : cube.satisfied()) {
    const auto answer = session.answer(satisfied, bits);
    if (!answer && answer.error().code != ErrorCode::kBudgetExhausted) return answer.error();
    answers.push_back(answer ? answer->value / static_cast<double>(crowd.people.size())
                             : std::numeric_limits<double>::quiet_NaN());
  }
  return answers;
}

Model online_median(const Setting& setting, const QueriedCube& cube, std::uint32_t size) {
  const central::MedianAgreement agreement{.alpha = setting.epsilon,
                                           .tau = 0,
                                           .neighbours = central::Neighbours::kReplaceOne,
                                           .domain = cube.patterns(),
                                           .size = size,
                                           .unit = 1,
                                           .queries = setting.queries.size(),
                                           .delta = kMedianFailure,
                                           .hard = 0,
                                           .alpha_for_total = std::nullopt};
  const auto mechanism = central::OnlineMedian::create(agreement);
  if (!mechanism) return refused_central(kMedian, mechanism.error(), setting.queries.size());
  Model model = central_model(kMedian, setting.queries.size());
  model.note = "; hard queries at most: " + std::to_string(mechanism->hard_budget());
  model.mechanism.run = [cube, mechanism = *mechanism](const Crowd& crowd, const Randomness& random) {
    return ask_in_turn(cube, mechanism, crowd, random.bits);
  };
  return model;
}

}  // namespace

std::vector<Model> synthetic_models(const Setting& setting) {
  const std::size_t queries = setting.queries.size();
  std::optional<Error> refusal;
  const auto cube = QueriedCube::create(setting.schema, setting.queries);
  if (!cube) refusal = cube.error();
  const std::uint32_t size = cube ? database_size(cube->patterns(), queries) : 0;
  if (cube && size == 0) {
    refusal = Error{ErrorCode::kDomainTooLarge, "the queries distinguish " + std::to_string(cube->patterns()) +
                                                    " kinds of people: too many synthetic databases to enumerate"};
  }
  if (refusal) {
    std::vector<Model> models;
    for (const char* name : {kGeneral, kLinear, kMedian}) models.push_back(refused_central(name, *refusal, queries));
    return models;
  }
  std::vector<Model> models{general_release(setting, *cube, size), linear_release(setting, *cube, size),
                            online_median(setting, *cube, size)};
  const std::string databases =
      std::to_string(size) + " rows, kinds of people that the queries tell apart: " + std::to_string(cube->patterns());
  for (Model& model : models) {
    model.synthetic = true;
    if (model.mechanism.answered() > 0) model.note = databases + model.note;
  }
  return models;
}

}  // namespace hearsay::examples
