// A mechanism of either trust model (local, or with a curator), in the form that the comparison runs and prints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "examples/comparison/comparison.h"

namespace hearsay::examples {

enum class Trust : std::uint8_t {
  kLocal,   // nobody but the person sees the record
  kCurator  // one party sees all records
};

// Time, number of releases and the first failure of a mechanism in the runs of one comparison.
struct Watch {
  double seconds = 0;
  std::size_t releases = 0;
  std::optional<Error> failure;  // the first error of a release that answered nothing
};

// A mechanism with its trust model. Every mechanism keeps these rules: the setting's ε is for all answers together,
// neighbouring tables differ in one replaced record, and the number of people is public.
struct Model {
  Mechanism mechanism;
  Trust trust;
  std::string note;        // the parameters that the program chose
  bool synthetic = false;  // true if the answers come from a synthetic database
  std::shared_ptr<Watch> watch = std::make_shared<Watch>();

  // Returns the mechanism, but with a run() that adds its time to `watch`. If a release fails, run() answers its
  // queries with NaN, so that the comparison goes on.
  Mechanism watched() const;
};

// Makes a central model that refuses no query. The caller adds run().
Model central_model(const std::string& name, std::size_t queries);
Model refused_central(const std::string& name, const Error& error, std::size_t queries);

// Makes two models: the paper's Laplace noise on literals, and the planner's best groups of characters.
std::vector<Model> local_models(const Setting& setting);

// Makes three models. The first adds noise to each count, at ε divided by the number of counts. The second is the noisy
// histogram of the full domain. The third is cell release over the cube of the attributes that the queries mention.
std::vector<Model> counting_models(const Setting& setting);

// Makes three models: the general release, the linear release and the online median mechanism. Their domain has one
// element for each set of queries that a record can satisfy together.
std::vector<Model> synthetic_models(const Setting& setting);

// Makes two models. The interval release answers queries about a single range. The box release answers queries about 2
// or 3 ranges. Both refuse all queries if one query is not a box on ranges; a side of a box is a union of intervals.
std::vector<Model> range_models(const Setting& setting);

// Makes all models above, in this order.
std::vector<Model> all_models(const Setting& setting);

}  // namespace hearsay::examples
