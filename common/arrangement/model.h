// The one source of class laws that suits a query.
#pragma once

#include <optional>
#include <variant>

#include "common/arrangement/enumeration.h"
#include "common/arrangement/list_laws.h"
#include "common/arrangement/query_form.h"
#include "common/arrangement/record_sample.h"
#include "common/arrangement/reference.h"
#include "common/arrangement/sample.h"
#include "common/arrangement/threshold_laws.h"

namespace hearsay::compiler {

using Model = std::variant<ListLaws, ThresholdLaws, Enumeration, Sample, RecordSample>;

// A query's form, narrowed by what computing its class laws has shown, and the laws' source. A constant has none.
struct Study {
  QueryForm form;
  std::optional<Model> model;
};

// Takes the first that applies: a list's boxes, dynamic programming over a threshold's sum, enumeration, sampling.
// Where a sample of records is the reference, it is the source instead for whatever depends on more than one attribute.
// `query`, `schema`, `bits` and the records must outlive the study. Errors: those of RecordSample::create().
Result<Study> study(const Query& query, const Schema& schema, BitSource& bits, Reference reference);

// The attributes that the query depends on, ascending, as far as its form shows it; perhaps others.
std::vector<std::uint32_t> attributes_of(const Study& study, const Query& query, const Schema& schema);

Result<ClassLaws> laws(Model& model);
Result<ScoreMoments> moments(Model& model, std::span<const AttributeScore> scores);

}  // namespace hearsay::compiler
