#include "common/arrangement/model.h"

namespace hearsay::compiler {

Study study(const Query& query, const Schema& schema, BitSource& bits) {
  QueryForm form = analyse(query, schema);
  if (std::holds_alternative<PredicateThreshold>(form) || std::holds_alternative<Unstructured>(form)) {
    auto enumeration = Enumeration::create(query, schema);
    if (!enumeration) return {std::move(form), Sample(query, schema, bits)};
    QueryForm narrowed = enumeration->form();
    if (std::holds_alternative<Unstructured>(narrowed)) return {std::move(form), std::move(enumeration)};
    form = std::move(narrowed);
  }
  if (const auto* list = std::get_if<PredicateList>(&form)) return {form, ListLaws(*list, schema)};
  if (const auto* predicate = std::get_if<Predicate>(&form)) {
    return {form, ListLaws(PredicateList{{{*predicate, true}}, false}, schema)};
  }
  return {std::move(form), std::nullopt};
}

Result<ClassLaws> laws(Model& model) {
  return std::visit([](auto& source) -> Result<ClassLaws> { return source.laws(); }, model);
}

Result<ScoreMoments> moments(Model& model, std::span<const AttributeScore> scores) {
  return std::visit([&](auto& source) -> Result<ScoreMoments> { return source.moments(scores); }, model);
}

}  // namespace hearsay::compiler
