// The one source of class laws that suits a query.
#pragma once

#include <optional>
#include <variant>

#include "common/arrangement/enumeration.h"
#include "common/arrangement/list_laws.h"
#include "common/arrangement/query_form.h"
#include "common/arrangement/sample.h"
#include "common/arrangement/threshold_laws.h"

namespace hearsay::compiler {

using Model = std::variant<ListLaws, ThresholdLaws, Enumeration, Sample>;

// A query's form, narrowed by what computing its class laws has shown, and the laws' source. A constant has none.
struct Study {
  QueryForm form;
  std::optional<Model> model;
};

// Takes the first that applies: a list's boxes, dynamic programming over a threshold's sum, enumeration, sampling.
// `query`, `schema` and `bits` must outlive the study.
Study study(const Query& query, const Schema& schema, BitSource& bits);

Result<ClassLaws> laws(Model& model);
Result<ScoreMoments> moments(Model& model, std::span<const AttributeScore> scores);

}  // namespace hearsay::compiler
