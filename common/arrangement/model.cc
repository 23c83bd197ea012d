#include "common/arrangement/model.h"

namespace hearsay::compiler {

namespace {

std::optional<Model> list_model(const QueryForm& form, const Schema& schema) {
  if (const auto* list = std::get_if<PredicateList>(&form)) return ListLaws(*list, schema);
  if (const auto* predicate = std::get_if<Predicate>(&form)) {
    return ListLaws(PredicateList{{{*predicate, true}}, false}, schema);
  }
  return std::nullopt;
}

}  // namespace

Study study(const Query& query, const Schema& schema, BitSource& bits) {
  QueryForm form = analyse(query, schema);
  if (const auto* sum = std::get_if<PredicateThreshold>(&form)) {
    if (auto source = ThresholdLaws::create(*sum)) {
      QueryForm narrowed = source->form(*sum);
      if (std::holds_alternative<PredicateThreshold>(narrowed)) return {std::move(form), std::move(source)};
      form = std::move(narrowed);
    }
  }
  if (std::holds_alternative<PredicateThreshold>(form) || std::holds_alternative<Unstructured>(form)) {
    auto source = Enumeration::create(query, schema);
    if (!source) return {std::move(form), Sample(query, schema, bits)};
    QueryForm narrowed = source->form();
    if (std::holds_alternative<Unstructured>(narrowed)) return {std::move(form), std::move(source)};
    form = std::move(narrowed);
  }
  auto model = list_model(form, schema);
  return {std::move(form), std::move(model)};
}

Result<ClassLaws> laws(Model& model) {
  return std::visit([](auto& source) -> Result<ClassLaws> { return source.laws(); }, model);
}

Result<ScoreMoments> moments(Model& model, std::span<const AttributeScore> scores) {
  return std::visit([&](auto& source) -> Result<ScoreMoments> { return source.moments(scores); }, model);
}

}  // namespace hearsay::compiler
