#include "common/arrangement/arrangement.h"

#include "common/base/try.h"

namespace hearsay {

Result<Arrangement> Arrangement::create(const ArrangementSpec& spec, const Schema& schema) {
  if (!std::holds_alternative<LiteralsSpec>(spec)) {
    return Error{ErrorCode::kUnsupported, "this build implements no arrangement but `literals`"};
  }
  HEARSAY_TRY(Literals literals, Literals::create(schema));
  return Arrangement(std::move(literals));
}

std::size_t Arrangement::dimension() const {
  return std::visit([](const auto& kind) { return kind.dimension(); }, kind_);
}

std::uint64_t Arrangement::sensitivity() const {
  return std::visit([](const auto& kind) { return kind.sensitivity(); }, kind_);
}

void Arrangement::encode(const Record& record, std::span<std::int8_t> out) const {
  std::visit([&](const auto& kind) { kind.encode(record, out); }, kind_);
}

}  // namespace hearsay
