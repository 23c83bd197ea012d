// The one source of class laws that suits a query.
#pragma once

#include <optional>
#include <variant>

#include "aggregator/compiler/enumeration.h"
#include "aggregator/compiler/list_laws.h"
#include "aggregator/compiler/query_form.h"
#include "aggregator/compiler/record_sample.h"
#include "aggregator/compiler/sample.h"
#include "aggregator/compiler/threshold_laws.h"

namespace hearsay::compiler {

// The distribution of records that an average-case query's two classes are taken from. Empty: uniform over all records,
// as in Aldà and Simon 2014, section 2.3. Otherwise a public sample of records, drawn independently from a population
// that resembles the reporters within each class (their section 7); these records must outlive the call.
using Reference = std::span<const Record>;

using Model = std::variant<ListLaws, ThresholdLaws, Enumeration, Sample, RecordSample>;

// A query's form, narrowed by what computing its class laws has shown, and the laws' source. A constant has none.
struct Study {
  Query query;
  Digest key;  // of the samples
  QueryForm form;
  std::optional<Model> model;
};

// Takes the first that applies: a list's boxes, dynamic programming over a threshold's sum, enumeration, sampling.
// Where a sample of records is the reference, it is the source instead for whatever depends on more than one attribute.
// `key`: of the records that are drawn, see Sample. The records of the reference must outlive the study. Errors: those
// of RecordSample::create(). All four functions throw WorkStopped.
Result<Study> study(const Query& query, const Schema& schema, const Digest& key, Reference reference, Work& work);

// The attributes that the query depends on, ascending, as far as its form shows it; perhaps others.
std::vector<std::uint32_t> attributes_of(const Study& study, const Schema& schema, Work& work);

Result<ClassLaws> laws(const Model& model, Work& work);
Result<ScoreMoments> moments(const Model& model, std::span<const AttributeScore> scores, Work& work);

}  // namespace hearsay::compiler
