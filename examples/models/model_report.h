// Runs mechanisms of both trust models, and turns the results into a table, JSON and a chart.
#pragma once

#include <string>
#include <vector>

#include "examples/comparison/report.h"
#include "examples/models/model.h"

namespace hearsay::examples {

// The results for one number of users.
struct ModelComparison {
  std::string population;
  std::uint64_t seed = 0;
  Plan plan;
  std::vector<Model> models;
  std::vector<Score> scores;   // one for each model
  std::vector<Watch> watches;  // one for each model, for these runs alone
};

// Runs all models. Errors: those of compare().
Result<ModelComparison> compare_models(const Setting& setting, const std::string& name, const Population& people,
                                       const std::vector<Model>& models, const Plan& plan, std::uint64_t seed,
                                       const Randomness& randomness);

// Makes a table with a row for each model. With `exact`, for programs, numbers are not rounded.
Rows model_table(const Setting& setting, const ModelComparison& comparison, bool exact);
Json models_to_json(const Setting& setting, const ModelComparison& comparison);
// Returns notes: what all models have in common, and which mechanisms of aggregator/central the table leaves out.
std::vector<std::string> terms(const Setting& setting);

// Draws the errors by number of users. `sizes` must ascend and have the same models. Lines are solid for local models,
// dotted for synthetic databases, and dashed for other central models.
charts::LineChart model_chart(const Setting& setting, const std::vector<ModelComparison>& sizes);

}  // namespace hearsay::examples
