// Chooses a way to compute the laws of a query's two classes, the records with f = 0 and those with f = 1.
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

// The distribution of records that an average-case answer assumes within each class. An empty reference means the
// uniform distribution over all records, as in Aldà and Simon 2014, section 2.3. Otherwise the reference is a public
// sample of independent records, from a population that resembles the reporters within each class (section 7 of the
// paper). The records must outlive the call.
using Reference = std::span<const Record>;

using Model = std::variant<ListLaws, ThresholdLaws, Enumeration, Sample, RecordSample>;

// A query, its form, and the source of its class laws. A constant query has no source.
struct Study {
  Query query;
  // The key that determines the records of Sample.
  Digest key;
  QueryForm form;
  std::optional<Model> model;
};

// Studies the query. With the uniform reference, the source is the first of these that fits: ListLaws, ThresholdLaws,
// Enumeration, Sample. If the reference is a sample of records, this sample is the source for every query on more than
// one attribute, and its records must outlive the study. Errors: those of RecordSample::create(). The functions of this
// header throw WorkStopped.
Result<Study> study(const Query& query, const Schema& schema, const Digest& key, Reference reference, Work& work);

// Returns the attributes that the query depends on, ascending. If the query is a threshold or Unstructured, the result
// may also hold attributes that do not matter.
std::vector<std::uint32_t> attributes_of(const Study& study, const Schema& schema, Work& work);

Result<ClassLaws> laws(const Model& model, Work& work);
Result<ScoreMoments> moments(const Model& model, std::span<const AttributeScore> scores, Work& work);

}  // namespace hearsay::compiler
