#include "examples/models/model.h"

#include <chrono>
#include <cmath>
#include <limits>

#include "common/base/try.h"

namespace hearsay::examples {

Mechanism Model::watched() const {
  using Clock = std::chrono::steady_clock;
  Mechanism result = mechanism;
  result.run = [release = mechanism.run, record = watch](const Crowd& crowd,
                                                         const Randomness& random) -> Result<std::vector<double>> {
    const auto start = Clock::now();
    auto answers = release(crowd, random);
    record->seconds += std::chrono::duration<double>(Clock::now() - start).count();
    ++record->releases;
    if (answers) return answers;
    if (!record->failure) record->failure = answers.error();
    return std::vector<double>(crowd.satisfying.size(), std::numeric_limits<double>::quiet_NaN());
  };
  return result;
}

Model central_model(const std::string& name, std::size_t queries) {
  Model model;
  model.trust = Trust::kCurator;
  model.mechanism.name = name;
  model.mechanism.origin = Origin::kLiterature;
  model.mechanism.refusals.resize(queries);
  return model;
}

Model refused_central(const std::string& name, const Error& error, std::size_t queries) {
  Model model;
  model.trust = Trust::kCurator;
  model.mechanism = refused(name, Origin::kLiterature, error, queries);
  return model;
}

std::vector<Model> local_models(const Setting& setting) {
  constexpr const char* kPaper = "paper's Laplace, literals";
  constexpr const char* kPlanned = "planned groups";
  const auto own = own_mechanisms(setting);
  std::vector<Model> models;
  for (const char* name : {kPaper, kPlanned}) {
    const Error none{ErrorCode::kUnsupported, "the planner has no such candidate for this schema"};
    Model model;
    model.trust = Trust::kLocal;
    model.mechanism = refused(name, Origin::kOurs, own ? none : own.error(), setting.queries.size());
    if (own) {
      for (const Mechanism& mechanism : *own) {
        if (mechanism.name == name) model.mechanism = mechanism;
      }
    }
    models.push_back(std::move(model));
  }
  return models;
}

std::vector<Model> all_models(const Setting& setting) {
  std::vector<Model> all = local_models(setting);
  for (auto family : {counting_models, synthetic_models, range_models}) {
    for (Model& model : family(setting)) all.push_back(std::move(model));
  }
  return all;
}

}  // namespace hearsay::examples
