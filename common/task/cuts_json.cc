#include "common/task/cuts_json.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "common/base/try.h"

namespace hearsay {
namespace {

Error bad_cuts(std::string message) { return {ErrorCode::kInvalidTask, std::move(message)}; }

// Reads integers from `least` to `most`, and subtracts `origin` from each.
Result<std::vector<std::uint32_t>> indices_from_json(const ObjectReader& reader, std::string_view key,
                                                     std::int64_t origin, std::int64_t least, std::int64_t most) {
  HEARSAY_TRY(const Json* list, reader.get_array(key));
  std::vector<std::uint32_t> indices;
  for (const Json& element : *list) {
    const std::string at = reader.path(key) + "[" + std::to_string(indices.size()) + "]";
    if (!element.is_number_integer()) return Error{ErrorCode::kWrongType, at + " must be an integer"};
    const bool above =
        element.is_number_unsigned() && element.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
    const auto number = element.get<std::int64_t>();
    if (above || number < least || number > most) {
      return bad_cuts(at + " must be from " + std::to_string(least) + " to " + std::to_string(most));
    }
    indices.push_back(static_cast<std::uint32_t>(number - origin));
  }
  return indices;
}

}  // namespace

Result<std::vector<Cuts>> cuts_from_json(const ObjectReader& reader, const Schema& schema) {
  HEARSAY_TRY(const Json* list, reader.get_array("cuts"));
  if (list->empty()) return bad_cuts(reader.path("cuts") + " must name at least one attribute: leave out the key");
  std::vector<Cuts> all;
  for (const Json& element : *list) {
    const std::string where = reader.path("cuts") + "[" + std::to_string(all.size()) + "]";
    HEARSAY_TRY(const ObjectReader of_one, ObjectReader::create(element, where));
    HEARSAY_CHECK_OK(of_one.allow_only({"attribute", "starts", "cells"}));
    HEARSAY_TRY(const std::string name, of_one.get_string("attribute"));
    const auto attribute = schema.find(name);
    if (!attribute) return bad_cuts(of_one.path("attribute") + " is no attribute of the schema");
    Cuts cuts{static_cast<std::uint32_t>(*attribute), {}, {}};
    if (std::any_of(all.begin(), all.end(), [&](const Cuts& other) { return other.attribute == cuts.attribute; })) {
      return bad_cuts(of_one.path("attribute") + " is named twice");
    }
    // The first stretch starts with the attribute's least value. The document does not give this start.
    const Attribute& cut = schema[*attribute];
    HEARSAY_TRY(cuts.starts, indices_from_json(of_one, "starts", cut.min(), cut.min() + 1, cut.max()));
    if (of_one.has("cells")) {
      HEARSAY_TRY(cuts.cells, indices_from_json(of_one, "cells", 0, 0, Cuts::kMaxStarts));
      if (cuts.cells.empty()) return bad_cuts(of_one.path("cells") + " must not be empty: leave out the key");
    }
    all.push_back(std::move(cuts));
  }
  std::sort(all.begin(), all.end(), [](const Cuts& a, const Cuts& b) { return a.attribute < b.attribute; });
  return all;
}

Json cuts_to_json(const std::vector<Cuts>& cuts, const Schema& schema) {
  Json list = Json::array();
  for (const Cuts& of_one : cuts) {
    const Attribute& attribute = schema[of_one.attribute];
    Json one = Json::object({{"attribute", attribute.name()}, {"starts", Json::array()}});
    for (const std::uint32_t start : of_one.starts) one["starts"].push_back(attribute.min() + start);
    if (!of_one.cells.empty()) one["cells"] = of_one.cells;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace hearsay
