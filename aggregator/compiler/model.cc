#include "aggregator/compiler/model.h"

#include <set>

#include "aggregator/compiler/cells.h"
#include "common/base/try.h"

namespace hearsay::compiler {

namespace {

std::optional<Model> list_model(const QueryForm& form, const Schema& schema, Work& work) {
  if (const auto* list = std::get_if<PredicateList>(&form)) return ListLaws(*list, schema, work);
  if (const auto* predicate = std::get_if<Predicate>(&form)) {
    return ListLaws(PredicateList{{{*predicate, true}}, false}, schema, work);
  }
  return std::nullopt;
}

Study study_uniform(const Query& query, const Schema& schema, const Digest& key, Work& work) {
  QueryForm form = analyse(query, schema, work);
  if (const auto* sum = std::get_if<PredicateThreshold>(&form)) {
    if (auto source = ThresholdLaws::create(*sum, work)) {
      QueryForm narrowed = source->form(*sum);
      if (std::holds_alternative<PredicateThreshold>(narrowed)) return {query, key, std::move(form), std::move(source)};
      form = std::move(narrowed);
    }
  }
  if (std::holds_alternative<PredicateThreshold>(form) || std::holds_alternative<Unstructured>(form)) {
    auto source = Enumeration::create(query, schema, work);
    if (!source) return {query, key, std::move(form), Sample(query, schema, key, work)};
    QueryForm narrowed = source->form(work);
    if (std::holds_alternative<Unstructured>(narrowed)) return {query, key, std::move(form), std::move(source)};
    form = std::move(narrowed);
  }
  auto model = list_model(form, schema, work);
  return {query, key, std::move(form), std::move(model)};
}

}  // namespace

Result<Study> study(const Query& query, const Schema& schema, const Digest& key, Reference reference, Work& work) {
  Study found = study_uniform(query, schema, key, work);
  const bool is_exact = std::holds_alternative<bool>(found.form) || std::holds_alternative<Predicate>(found.form);
  if (reference.empty() || is_exact) return found;
  HEARSAY_TRY(found.model, RecordSample::create(query, schema, reference, work));
  return found;
}

std::vector<std::uint32_t> attributes_of(const Study& study, const Schema& schema, Work& work) {
  std::set<std::uint32_t> attributes;
  if (const auto* predicate = std::get_if<Predicate>(&study.form)) {
    attributes.insert(predicate->attribute);
  } else if (const auto* list = std::get_if<PredicateList>(&study.form)) {
    for (const auto& item : list->items) attributes.insert(item.predicate.attribute);
  } else if (const auto* sum = std::get_if<PredicateThreshold>(&study.form)) {
    for (const auto& term : sum->terms) attributes.insert(term.attribute);
  } else if (std::holds_alternative<Unstructured>(study.form)) {
    for (const Cells& cells : distinguished_cells(study.query, schema, work)) attributes.insert(cells.attribute);
  }
  return {attributes.begin(), attributes.end()};
}

Result<ClassLaws> laws(const Model& model, Work& work) {
  return std::visit([&](const auto& source) -> Result<ClassLaws> { return source.laws(work); }, model);
}

Result<ScoreMoments> moments(const Model& model, std::span<const AttributeScore> scores, Work& work) {
  return std::visit([&](const auto& source) -> Result<ScoreMoments> { return source.moments(scores, work); }, model);
}

}  // namespace hearsay::compiler
