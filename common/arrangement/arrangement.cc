#include "common/arrangement/arrangement.h"

#include "common/base/try.h"

namespace hearsay {

Result<Arrangement> Arrangement::create(const ArrangementSpec& spec, const Schema& schema) {
  if (const auto* characters_spec = std::get_if<CharactersSpec>(&spec)) {
    HEARSAY_TRY(Characters characters, Characters::create(schema, characters_spec->order));
    return Arrangement(std::move(characters));
  }
  if (const auto* explicit_spec = std::get_if<ExplicitSpec>(&spec)) {
    HEARSAY_TRY(Explicit vectors, Explicit::create(*explicit_spec, schema));
    return Arrangement(std::move(vectors));
  }
  HEARSAY_TRY(Literals literals, Literals::create(schema));
  return Arrangement(std::move(literals));
}

std::size_t Arrangement::dimension() const {
  return std::visit([](const auto& kind) { return kind.dimension(); }, kind_);
}

Result<std::uint64_t> Arrangement::sensitivity() const {
  return std::visit([](const auto& kind) -> Result<std::uint64_t> { return kind.sensitivity(); }, kind_);
}

void Arrangement::encode(const Record& record, std::span<std::int8_t> out) const {
  std::visit([&](const auto& kind) { kind.encode(record, out); }, kind_);
}

}  // namespace hearsay
