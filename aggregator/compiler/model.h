// Chooses how the laws of a query's two classes are computed.
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
// as in Aldà and Simon 2014, section 2.3. Otherwise a public sample of independent records, from a population that
// resembles the reporters within each class (section 7 of the paper). The records must outlive the call.
using Reference = std::span<const Record>;

using Model = std::variant<ListLaws, ThresholdLaws, Enumeration, Sample, RecordSample>;

// A query, the form that the computation has found for it, and the source of its class laws. A constant has no source.
struct Study {
  Query query;
  // Key of the records that Sample draws.
  Digest key;
  QueryForm form;
  std::optional<Model> model;
};

// Studies the query. With the uniform reference the source is the first that applies: a list's boxes, dynamic
// programming over a threshold's sum, enumeration, sampling. With a sample of records as the reference, the source of
// every query on more than one attribute is that sample, whose records must outlive the study. Errors: those of
// RecordSample::create(). All four functions throw WorkStopped.
Result<Study> study(const Query& query, const Schema& schema, const Digest& key, Reference reference, Work& work);

// Returns the attributes that the query depends on, ascending. If the form does not show which, the result may hold
// others, too.
std::vector<std::uint32_t> attributes_of(const Study& study, const Schema& schema, Work& work);

Result<ClassLaws> laws(const Model& model, Work& work);
Result<ScoreMoments> moments(const Model& model, std::span<const AttributeScore> scores, Work& work);

}  // namespace hearsay::compiler
