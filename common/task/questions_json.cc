#include "common/task/questions_json.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "common/base/try.h"
#include "common/channel/questions.h"
#include "common/channel/sampled.h"

namespace hearsay {
namespace {

Error unreadable(std::string message) { return {ErrorCode::kInvalidTask, std::move(message)}; }

// Bounds on the numbers in the document. The channel checks later whether the numbers fit the attribute.
struct Bounds {
  std::uint32_t least;
  std::uint32_t most;
};
constexpr Bounds kBits{1, SampledChannel::kMaxWidth};
constexpr Bounds kLevels{0, Questions::kMaxValueBits - 1};
constexpr Bounds kPlaces{2, Questions::kMaxPlaces};
constexpr Bounds kMultipliers{1, Questions::kMaxPlaces / 2};
constexpr Bounds kAnswers{2, Questions::kMaxHashed};
constexpr Bounds kWeights{1, Questions::kMaxWeight};

Result<std::uint32_t> number_from_json(const Json& value, const std::string& where, const Bounds& bounds) {
  if (!value.is_number_integer()) return Error{ErrorCode::kWrongType, where + " must be an integer"};
  // A negative integer becomes a very large one, which the check below refuses.
  const auto number = value.get<std::uint64_t>();
  if (number < bounds.least || number > bounds.most) {
    return unreadable(where + " must be from " + std::to_string(bounds.least) + " to " + std::to_string(bounds.most));
  }
  return static_cast<std::uint32_t>(number);
}

Result<std::vector<std::uint32_t>> numbers_from_json(const Json& list, const std::string& where, const Bounds& bounds) {
  if (!list.is_array()) return Error{ErrorCode::kWrongType, where + " must be an array"};
  std::vector<std::uint32_t> numbers;
  for (const Json& element : list) {
    HEARSAY_TRY(const std::uint32_t number,
                number_from_json(element, where + "[" + std::to_string(numbers.size()) + "]", bounds));
    numbers.push_back(number);
  }
  return numbers;
}

Result<std::vector<std::uint32_t>> get_numbers(const ObjectReader& reader, std::string_view key, const Bounds& bounds) {
  HEARSAY_TRY(const Json* list, reader.get_array(key));
  return numbers_from_json(*list, reader.path(key), bounds);
}

Result<std::uint32_t> get_number(const ObjectReader& reader, std::string_view key, const Bounds& bounds) {
  HEARSAY_TRY(const Json* value, reader.get(key));
  return number_from_json(*value, reader.path(key), bounds);
}

// Sorts the members, together with their weights. Leaves lists of different lengths as they are: the channel refuses
// them.
template <class Member>
void sort_members(std::vector<Member>& members, std::vector<std::uint32_t>& weights) {
  if (members.size() != weights.size()) return;
  std::vector<std::pair<Member, std::uint32_t>> both;
  for (std::size_t i = 0; i < members.size(); ++i) both.emplace_back(std::move(members[i]), weights[i]);
  std::sort(both.begin(), both.end());
  for (std::size_t i = 0; i < both.size(); ++i) std::tie(members[i], weights[i]) = std::move(both[i]);
}

Result<QuestionSpec> parities_from_json(const ObjectReader& reader) {
  HEARSAY_CHECK_OK(reader.allow_only({"attribute", "kind", "bits"}));
  HEARSAY_TRY(const std::uint32_t bits, get_number(reader, "bits", kBits));
  return QuestionSpec(ParityQuestions{bits});
}

Result<QuestionSpec> levels_from_json(const ObjectReader& reader) {
  HEARSAY_CHECK_OK(reader.allow_only({"attribute", "kind", "levels", "weights"}));
  LevelQuestions questions;
  HEARSAY_TRY(const Json* sets, reader.get_array("levels"));
  for (const Json& set : *sets) {
    const std::string where = reader.path("levels") + "[" + std::to_string(questions.levels.size()) + "]";
    HEARSAY_TRY(std::vector<std::uint32_t> levels, numbers_from_json(set, where, kLevels));
    std::sort(levels.begin(), levels.end());
    questions.levels.push_back(std::move(levels));
  }
  HEARSAY_TRY(questions.weights, get_numbers(reader, "weights", kWeights));
  sort_members(questions.levels, questions.weights);
  return QuestionSpec(std::move(questions));
}

Result<QuestionSpec> circle_from_json(const ObjectReader& reader) {
  HEARSAY_CHECK_OK(reader.allow_only({"attribute", "kind", "places", "bits", "multipliers", "weights"}));
  CircleQuestions questions;
  HEARSAY_TRY(questions.places, get_number(reader, "places", kPlaces));
  HEARSAY_TRY(questions.bits, get_number(reader, "bits", kBits));
  HEARSAY_TRY(questions.multipliers, get_numbers(reader, "multipliers", kMultipliers));
  HEARSAY_TRY(questions.weights, get_numbers(reader, "weights", kWeights));
  sort_members(questions.multipliers, questions.weights);
  return QuestionSpec(std::move(questions));
}

Result<QuestionSpec> hash_from_json(const ObjectReader& reader) {
  HEARSAY_CHECK_OK(reader.allow_only({"attribute", "kind", "answers"}));
  HEARSAY_TRY(const std::uint32_t answers, get_number(reader, "answers", kAnswers));
  return QuestionSpec(HashQuestions{answers});
}

Result<QuestionSpec> question_from_json(const ObjectReader& reader) {
  HEARSAY_TRY(const std::string kind, reader.get_string("kind"));
  if (kind == "parities") return parities_from_json(reader);
  if (kind == "levels") return levels_from_json(reader);
  if (kind == "circle") return circle_from_json(reader);
  if (kind == "hash") return hash_from_json(reader);
  return unreadable(reader.path("kind") + " must be parities, levels, circle or hash");
}

Json to_json(const ParityQuestions& questions) {
  return Json::object({{"kind", "parities"}, {"bits", questions.bits}});
}
Json to_json(const LevelQuestions& questions) {
  return Json::object({{"kind", "levels"}, {"levels", questions.levels}, {"weights", questions.weights}});
}
Json to_json(const CircleQuestions& questions) {
  return Json::object({{"kind", "circle"},
                       {"places", questions.places},
                       {"bits", questions.bits},
                       {"multipliers", questions.multipliers},
                       {"weights", questions.weights}});
}
Json to_json(const HashQuestions& questions) {
  return Json::object({{"kind", "hash"}, {"answers", questions.answers}});
}

}  // namespace

Result<std::vector<QuestionSpec>> questions_from_json(const ObjectReader& reader, const Schema& schema) {
  HEARSAY_TRY(const Json* list, reader.get_array("questions"));
  std::vector<QuestionSpec> questions(schema.size());
  std::set<std::size_t> named;
  std::size_t number = 0;
  for (const Json& element : *list) {
    const std::string where = reader.path("questions") + "[" + std::to_string(number++) + "]";
    HEARSAY_TRY(const ObjectReader of_one, ObjectReader::create(element, where));
    HEARSAY_TRY(const std::string name, of_one.get_string("attribute"));
    const auto attribute = schema.find(name);
    if (!attribute) return unreadable(of_one.path("attribute") + " is no attribute of the schema");
    if (!named.insert(*attribute).second) return unreadable(of_one.path("attribute") + " is named twice");
    HEARSAY_TRY(questions[*attribute], question_from_json(of_one));
  }
  return questions;
}

Json questions_to_json(const std::vector<QuestionSpec>& questions, const Schema& schema) {
  Json list = Json::array();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (questions[i] == QuestionSpec()) continue;
    Json one = std::visit([](const auto& kind) { return to_json(kind); }, questions[i]);
    one["attribute"] = schema[i].name();
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace hearsay
