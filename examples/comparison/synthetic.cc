#include "examples/comparison/synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>

#include "common/base/try.h"

namespace hearsay::examples {
namespace {

// How likely a "yes" to an attribute is. The ninth attribute has the tendency of the first, and so on.
struct Tendency {
  double base_rate;  // probability of a "yes" if the person's hidden trait is 0
  double loading;    // by how much the logarithmic odds grow if the trait grows by 1
};
constexpr std::array<Tendency, 8> kTendencies{
    {{0.67, 0.9}, {0.48, 1.8}, {0.24, -1.2}, {0.09, 0.7}, {0.86, -0.6}, {0.31, 1.5}, {0.15, -1.6}, {0.05, 1.1}}};

// Makes a schema of the attributes a0, a1, …. `make` makes an attribute from its name.
template <class Make>
Result<Schema> schema_of(std::size_t attributes, const Make& make) {
  std::vector<Attribute> list;
  for (std::size_t i = 0; i < attributes; ++i) {
    HEARSAY_TRY(Attribute attribute, make("a" + std::to_string(i)));
    list.push_back(std::move(attribute));
  }
  return Schema::create(std::move(list));
}

}  // namespace

Result<Population> synthetic_population(std::size_t attributes, std::size_t rows, SyntheticKind kind,
                                        std::uint64_t seed) {
  HEARSAY_TRY(Schema schema, schema_of(attributes, &Attribute::boolean));

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

Result<Population> synthetic_ordered_population(std::size_t attributes, std::uint32_t values, std::size_t rows,
                                                SyntheticKind kind, std::uint64_t seed) {
  const auto range = [values](std::string name) {
    return Attribute::range(std::move(name), 0, std::int64_t{values} - 1);
  };
  HEARSAY_TRY(Schema schema, schema_of(attributes, range));

  PopulationGenerator random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Population population{schema, {}};
  population.records.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const double trait = normal(random);
    std::vector<std::uint32_t> record;
    for (std::size_t i = 0; i < attributes; ++i) {
      const double place = kind == SyntheticKind::kUniform ? uniform(random)
                                                           : 1 / (1 + std::exp(1 - 0.8 * trait - 0.6 * normal(random)));
      record.push_back(std::min(static_cast<std::uint32_t>(place * values), values - 1));
    }
    HEARSAY_TRY(Record made, Record::create(schema, std::move(record)));
    population.records.push_back(std::move(made));
  }
  return population;
}

}  // namespace hearsay::examples
