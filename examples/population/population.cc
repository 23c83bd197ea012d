#include "examples/population/population.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "aggregator/console/input.h"
#include "aggregator/csv/read_records.h"
#include "common/base/try.h"

namespace hearsay::examples {
namespace {

struct Department {
  std::string name;
  // Numbers of applicants: men admitted, men rejected, women admitted, women rejected.
  std::array<std::size_t, 4> applicants;
};

const std::array<Department, 6> kBerkeley{{
    {"A", {512, 313, 89, 19}},
    {"B", {353, 207, 17, 8}},
    {"C", {120, 205, 202, 391}},
    {"D", {138, 279, 131, 244}},
    {"E", {53, 138, 94, 299}},
    {"F", {22, 351, 24, 317}},
}};

Result<Schema> berkeley_schema() {
  std::vector<std::string> names;
  for (const Department& department : kBerkeley) names.push_back(department.name);
  HEARSAY_TRY(Attribute department, Attribute::categorical("department", names));
  HEARSAY_TRY(Attribute woman, Attribute::boolean("woman"));
  HEARSAY_TRY(Attribute admitted, Attribute::boolean("admitted"));
  return Schema::create({std::move(department), std::move(woman), std::move(admitted)});
}

}  // namespace

Result<Population> read_csv(const Schema& schema, const CsvFile& file) {
  if (!file.companion.empty()) {
    HEARSAY_TRY(const Companion companion, console::read_companion(schema, file.companion));
    HEARSAY_TRY(const std::string bytes, console::read_file(file.path));
    HEARSAY_TRY(std::vector<Record> people, csv::read_records(companion, bytes, file.path));
    return Population{schema, std::move(people)};
  }
  HEARSAY_TRY(const std::string text, console::read_text(file.path));
  const csv::CsvOptions options{.name = file.path, .ignore_unknown_columns = file.ignore_unknown_columns};
  HEARSAY_TRY(std::vector<Record> records, csv::read_records(schema, text, options));
  return Population{schema, std::move(records)};
}

double Population::fraction(const Query& query) const {
  const auto satisfied =
      std::count_if(records.begin(), records.end(), [&](const Record& record) { return query.evaluate(record); });
  return static_cast<double>(satisfied) / static_cast<double>(records.size());
}

Result<Population> berkeley_admissions() {
  HEARSAY_TRY(const Schema schema, berkeley_schema());
  Population population{schema, {}};
  for (std::uint32_t department = 0; department < kBerkeley.size(); ++department) {
    for (std::uint32_t group = 0; group < 4; ++group) {
      const std::uint32_t woman = group / 2;
      const std::uint32_t admitted = 1 - group % 2;
      HEARSAY_TRY(const Record record, Record::create(schema, {department, woman, admitted}));
      population.records.insert(population.records.end(), kBerkeley[department].applicants[group], record);
    }
  }
  return population;
}

Population resample(const Population& source, std::size_t users, PopulationGenerator& generator) {
  std::uniform_int_distribution<std::size_t> person(0, source.records.size() - 1);
  Population drawn{source.schema, {}};
  drawn.records.reserve(users);
  for (std::size_t i = 0; i < users; ++i) drawn.records.push_back(source.records[person(generator)]);
  return drawn;
}

Result<Population> random_database(const Schema& schema, const Query& query, double fraction, std::size_t users,
                                   PopulationGenerator& generator) {
  constexpr int kMaxDraws = 1'000'000;
  const auto ones = static_cast<std::size_t>(std::llround(fraction * static_cast<double>(users)));
  Population population{schema, {}};
  population.records.reserve(users);
  for (std::size_t i = 0; i < users; ++i) {
    const bool wanted = i < ones;
    int draws = 0;
    for (bool found = false; !found;) {
      if (++draws > kMaxDraws) return Error{ErrorCode::kClassTooRare, "no record of a class in a million draws"};
      std::vector<std::uint32_t> values;
      for (const Attribute& attribute : schema.attributes()) {
        values.push_back(std::uniform_int_distribution<std::uint32_t>(0, attribute.size() - 1)(generator));
      }
      if (query.evaluate(values) != wanted) continue;
      HEARSAY_TRY(Record record, Record::create(schema, std::move(values)));
      population.records.push_back(std::move(record));
      found = true;
    }
  }
  return population;
}

}  // namespace hearsay::examples
