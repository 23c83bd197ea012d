// A mechanism of either trust model (local or curator), as the comparison runs and prints it.
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

// Every model keeps these rules: the setting's ε is for all answers together, neighbouring tables differ in one
// replaced record, and the number of people is public.
struct Model {
  Mechanism mechanism;
  Trust trust;
  std::string note;        // which parameters were chosen
  bool synthetic = false;  // answers come from a synthetic database, chosen among few
  std::shared_ptr<Watch> watch = std::make_shared<Watch>();

  // Returns the mechanism with its time measured into `watch`. If a release fails, its queries stay unanswered and the
  // comparison goes on.
  Mechanism watched() const;
};

// Makes a central model that allows every query. The caller adds the release.
Model central_model(const std::string& name, std::size_t queries);
Model refused_central(const std::string& name, const Error& error, std::size_t queries);

// The paper's Laplace noise on literals, and the planner's best groups of characters.
std::vector<Model> local_models(const Setting& setting);

// Three models: each count with its own noise, at ε divided by the number of counts; the noisy histogram of the full
// domain; cell release over the cube of the attributes that the queries mention.
std::vector<Model> counting_models(const Setting& setting);

// The general release, the linear release and the online median mechanism. Their domain has one element for each set of
// queries that some record satisfies together.
std::vector<Model> synthetic_models(const Setting& setting);

// Interval and box release. Every query must be an interval, a box of ranges, or a union of boxes along the axes.
std::vector<Model> range_models(const Setting& setting);

// All of these, in this order.
std::vector<Model> all_models(const Setting& setting);

}  // namespace hearsay::examples
