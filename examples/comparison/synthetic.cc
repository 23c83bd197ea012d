#include "examples/comparison/synthetic.h"

#include <array>
#include <cmath>
#include <random>
#include <string>

#include "common/base/try.h"

namespace hearsay::examples {
namespace {

// Of a "yes" for a person without the trait, and how much the trait adds to its logarithmic odds; repeated from the
// ninth attribute on.
struct Tendency {
  double base_rate;
  double loading;
};
constexpr std::array<Tendency, 8> kTendencies{
    {{0.67, 0.9}, {0.48, 1.8}, {0.24, -1.2}, {0.09, 0.7}, {0.86, -0.6}, {0.31, 1.5}, {0.15, -1.6}, {0.05, 1.1}}};

}  // namespace

Result<Population> synthetic_population(std::size_t attributes, std::size_t rows, SyntheticKind kind,
                                        std::uint64_t seed) {
  std::vector<Attribute> list;
  for (std::size_t i = 0; i < attributes; ++i) {
    HEARSAY_TRY(Attribute attribute, Attribute::boolean("a" + std::to_string(i)));
    list.push_back(std::move(attribute));
  }
  HEARSAY_TRY(Schema schema, Schema::create(std::move(list)));

  PopulationGenerator random(seed);
  std::normal_distribution<double> trait_of_person;
  std::uniform_real_distribution<double> uniform;
  Population population{schema, {}};
  population.records.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const double trait = trait_of_person(random);
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < attributes; ++i) {
      const Tendency& tendency = kTendencies[i % kTendencies.size()];
      const double odds = tendency.base_rate / (1 - tendency.base_rate) * std::exp(tendency.loading * trait);
      const double probability = kind == SyntheticKind::kUniform ? 0.5 : odds / (1 + odds);
      values.push_back(uniform(random) < probability ? 1 : 0);
    }
    HEARSAY_TRY(Record record, Record::create(schema, std::move(values)));
    population.records.push_back(std::move(record));
  }
  return population;
}

}  // namespace hearsay::examples
