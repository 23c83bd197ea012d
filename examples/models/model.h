// One mechanism of either trust model, as the comparison of the two runs and prints it.
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

// What a mechanism did in the runs of one comparison, beside its answers.
struct Watch {
  double seconds = 0;
  std::size_t releases = 0;
  std::optional<Error> failure;  // the first of a release that answered nothing
};

// ε of the setting is for all answers together, one replaced record the neighbouring relation and the number of people
// public, whichever the mechanism.
struct Model {
  Mechanism mechanism;
  Trust trust;
  std::string note;        // what was chosen for it
  bool synthetic = false;  // answers come from a whole database, chosen among few
  std::shared_ptr<Watch> watch = std::make_shared<Watch>();

  // The mechanism with a clock on it. A release that fails leaves its queries unanswered and the comparison running.
  Mechanism watched() const;
};

// A central one, with every query allowed and a release still to be given.
Model central_model(const std::string& name, std::size_t queries);
Model refused_central(const std::string& name, const Error& error, std::size_t queries);

// The paper's Laplace noise on literals, and the planner's best groups of characters.
std::vector<Model> local_models(const Setting& setting);

// Every count with its own noise, at ε over their number; the noisy histogram of the full domain; cell release over the
// cube of the attributes that the queries mention.
std::vector<Model> counting_models(const Setting& setting);

// The general release, the linear release and the online median mechanism. Their domain: what distinguishes the
// queries, that is people grouped by the set of queries that they satisfy.
std::vector<Model> synthetic_models(const Setting& setting);

// Interval and box release, where every query is an interval or box of ranges (or a union of those along the axes).
std::vector<Model> range_models(const Setting& setting);

// All of these, in this order.
std::vector<Model> all_models(const Setting& setting);

}  // namespace hearsay::examples
