#include "common/task/task_json.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/channel/laplace.h"
#include "common/channel/sampled.h"
#include "common/schema/schema_json.h"
#include "common/task/cuts_json.h"
#include "common/task/explicit_json.h"
#include "common/task/questions_json.h"
#include "common/task/strategy_json.h"

namespace hearsay {
namespace {

constexpr std::int64_t kVersion = 2;
// A double holds integers up to this number exactly.
constexpr std::int64_t kMaxInteger = (std::int64_t{1} << 53U) - 1;

Error invalid_document(std::string message) { return {ErrorCode::kInvalidTask, std::move(message)}; }

// get_int() reports a value out of range as kInvalidArgument. In a task document, such a value is kInvalidTask.
Result<std::uint64_t> get_integer(const ObjectReader& reader, std::string_view key, std::int64_t min,
                                  std::int64_t max) {
  const auto value = reader.get_int(key, min, max);
  if (value) return static_cast<std::uint64_t>(*value);
  if (value.error().code == ErrorCode::kInvalidArgument) return invalid_document(value.error().message);
  return value.error();
}

Result<void> check_version(const ObjectReader& reader) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  HEARSAY_TRY(const std::uint64_t version, get_integer(reader, "version", kMin, kMax));
  if (version != kVersion) {
    return Error{ErrorCode::kUnsupported, reader.path("version") + " is " +
                                              std::to_string(static_cast<std::int64_t>(version)) + ", and only " +
                                              std::to_string(kVersion) +
                                              " is known here: make a new task with `hearsay design --write`, or use "
                                              "the release of Hearsay that wrote this one"};
  }
  return {};
}

Result<ArrangementSpec> arrangement_from_json(const Json& value, const std::string& where, std::size_t attributes) {
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(value, where));
  HEARSAY_TRY(const std::string type, reader.get_string("type"));
  if (type == "literals") {
    HEARSAY_CHECK_OK(reader.allow_only({"type"}));
    return ArrangementSpec(LiteralsSpec{});
  }
  if (type == "explicit") return explicit_from_json(reader);
  if (type != "characters") return invalid_document(reader.path("type") + " must be literals, characters or explicit");
  HEARSAY_CHECK_OK(reader.allow_only({"type", "order"}));
  HEARSAY_TRY(const std::uint64_t order, get_integer(reader, "order", 1, static_cast<std::int64_t>(attributes)));
  return ArrangementSpec(CharactersSpec{static_cast<std::uint32_t>(order)});
}

// Reads one positive integer for each of `attributes` attributes.
Result<std::vector<std::uint32_t>> integers_from_json(const ObjectReader& reader, std::string_view key,
                                                      std::size_t attributes, std::uint32_t most) {
  HEARSAY_TRY(const Json* list, reader.get_array(key));
  const std::string where = reader.path(key);
  if (list->size() != attributes) {
    return invalid_document(where + " must have one element for each of the " + std::to_string(attributes) +
                            " attributes");
  }
  std::vector<std::uint32_t> integers;
  integers.reserve(list->size());
  for (const Json& element : *list) {
    const std::string at = where + "[" + std::to_string(integers.size()) + "]";
    if (!element.is_number_integer()) return Error{ErrorCode::kWrongType, at + " must be an integer"};
    // A negative integer becomes a very large one, which the check below refuses.
    const auto number = element.get<std::uint64_t>();
    if (number < 1 || number > most) return invalid_document(at + " must be from 1 to " + std::to_string(most));
    integers.push_back(static_cast<std::uint32_t>(number));
  }
  return integers;
}

// Reads names of attributes, in any order. Returns the attributes' numbers, ascending.
Result<std::vector<std::uint32_t>> attributes_from_json(const ObjectReader& reader, const Schema& schema) {
  HEARSAY_TRY(const Json* list, reader.get_array("attributes"));
  const std::string where = reader.path("attributes");
  if (list->empty()) return invalid_document(where + " must name at least one attribute");
  std::vector<std::uint32_t> attributes;
  std::set<std::uint32_t> named;
  for (const Json& element : *list) {
    const std::string at = where + "[" + std::to_string(attributes.size()) + "]";
    if (!element.is_string()) return Error{ErrorCode::kWrongType, at + " must be a string"};
    const auto attribute = schema.find(element.get_ref<const std::string&>());
    if (!attribute) return invalid_document(at + " is no attribute of the schema");
    const auto number = static_cast<std::uint32_t>(*attribute);
    if (!named.insert(number).second) return invalid_document(at + " names an attribute twice");
    attributes.push_back(number);
  }
  return attributes;
}

Result<ChannelSpec> laplace_from_json(const ObjectReader& reader, std::size_t attributes) {
  HEARSAY_TRY(const std::string calibration, reader.get_string("calibration"));
  LaplaceSpec spec;
  if (calibration == "paper") {
    spec.calibration = LaplaceCalibration::kPaper;
    HEARSAY_CHECK_OK(reader.allow_only({"type", "calibration"}));
    return ChannelSpec(spec);
  }
  if (calibration != "tight") return invalid_document(reader.path("calibration") + " must be tight or paper");
  HEARSAY_CHECK_OK(reader.allow_only({"type", "calibration", "shares"}));
  if (reader.has("shares")) {
    HEARSAY_TRY(spec.shares, integers_from_json(reader, "shares", attributes, LaplaceChannel::kMaxShare));
  }
  return ChannelSpec(spec);
}

// Sorts the attributes, and their odds with them.
void sort_attributes(GroupWeight& group) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> both;
  for (std::size_t i = 0; i < group.attributes.size(); ++i) {
    both.emplace_back(group.attributes[i], group.odds.empty() ? 1 : group.odds[i]);
  }
  std::sort(both.begin(), both.end());
  for (std::size_t i = 0; i < both.size(); ++i) {
    group.attributes[i] = both[i].first;
    if (!group.odds.empty()) group.odds[i] = both[i].second;
  }
}

Result<GroupWeight> group_from_json(const Json& value, const std::string& where, const Schema& schema) {
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(value, where));
  HEARSAY_CHECK_OK(reader.allow_only({"kind", "size", "weight", "attributes", "odds"}));
  HEARSAY_TRY(const std::string kind, reader.get_string("kind"));
  GroupWeight group;
  if (kind == "raw") {
    group.kind = GroupKind::kRaw;
  } else if (kind == "even") {
    group.kind = GroupKind::kEven;
  } else if (kind != "single") {
    return invalid_document(reader.path("kind") + " must be single, raw or even");
  }
  if (reader.has("attributes")) {
    HEARSAY_TRY(group.attributes, attributes_from_json(reader, schema));
  }
  const std::size_t asked = group.attributes.empty() ? schema.size() : group.attributes.size();
  if (reader.has("odds")) {
    HEARSAY_TRY(group.odds, integers_from_json(reader, "odds", asked, SampledChannel::kMaxOdds));
  }
  sort_attributes(group);
  HEARSAY_TRY(const std::uint64_t size, get_integer(reader, "size", 1, static_cast<std::int64_t>(asked)));
  HEARSAY_TRY(const std::uint64_t weight, get_integer(reader, "weight", 1, std::numeric_limits<std::uint32_t>::max()));
  group.size = static_cast<std::uint32_t>(size);
  group.weight = static_cast<std::uint32_t>(weight);
  return group;
}

Result<ChannelSpec> sampled_on_characters(const ObjectReader& reader, const Schema& schema) {
  HEARSAY_CHECK_OK(reader.allow_only({"type", "groups", "questions"}));
  SampledSpec spec;
  HEARSAY_TRY(const Json* groups, reader.get_array("groups"));
  for (const Json& group : *groups) {
    const std::string where = reader.path("groups") + "[" + std::to_string(spec.groups.size()) + "]";
    HEARSAY_TRY(GroupWeight read, group_from_json(group, where, schema));
    spec.groups.push_back(std::move(read));
  }
  if (reader.has("questions")) {
    HEARSAY_TRY(spec.questions, questions_from_json(reader, schema));
  }
  return ChannelSpec(std::move(spec));
}

Result<ChannelSpec> sampled_on_literals(const ObjectReader& reader) {
  HEARSAY_CHECK_OK(reader.allow_only({"type", "group_size"}));
  HEARSAY_TRY(const std::uint64_t size, get_integer(reader, "group_size", 1, SampledChannel::kMaxWidth));
  SampledSpec spec;
  spec.group_size = static_cast<std::uint32_t>(size);
  return ChannelSpec(std::move(spec));
}

Result<ChannelSpec> channel_from_json(const Json& value, const std::string& where, const ArrangementSpec& arrangement,
                                      const Schema& schema) {
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(value, where));
  HEARSAY_TRY(const std::string type, reader.get_string("type"));
  if (type == "laplace") return laplace_from_json(reader, schema.size());
  if (type == "strategy") return strategy_from_json(reader);
  if (type != "sampled") return invalid_document(reader.path("type") + " must be laplace, sampled or strategy");
  const bool characters = std::holds_alternative<CharactersSpec>(arrangement);
  return characters ? sampled_on_characters(reader, schema) : sampled_on_literals(reader);
}

Result<Epsilon> epsilon_from_json(const ObjectReader& reader) {
  HEARSAY_TRY(const std::string text, reader.get_string("epsilon"));
  auto epsilon = Epsilon::parse(text);
  if (!epsilon) return invalid_document(reader.path("epsilon") + ": " + epsilon.error().message);
  return epsilon;
}

Json to_json(const LiteralsSpec&) { return Json::object({{"type", "literals"}}); }
Json to_json(const CharactersSpec& spec) { return Json::object({{"type", "characters"}, {"order", spec.order}}); }
Json to_json(const ExplicitSpec& spec) { return explicit_to_json(spec); }
Json to_json(const GroupWeight& group, const Schema& schema) {
  const char* kind = group.kind == GroupKind::kSingle ? "single" : group.kind == GroupKind::kRaw ? "raw" : "even";
  Json json = Json::object({{"kind", kind}, {"size", group.size}, {"weight", group.weight}});
  for (const std::uint32_t attribute : group.attributes) json["attributes"].push_back(schema[attribute].name());
  if (!group.odds.empty()) json["odds"] = group.odds;
  return json;
}
Json to_json(const SampledSpec& spec, const Schema& schema) {
  Json json = Json::object({{"type", "sampled"}});
  if (spec.group_size != 0) json["group_size"] = spec.group_size;
  if (spec.groups.empty()) return json;
  json["groups"] = Json::array();
  for (const GroupWeight& group : spec.groups) json["groups"].push_back(to_json(group, schema));
  if (!spec.questions.empty()) json["questions"] = questions_to_json(spec.questions, schema);
  return json;
}
Json to_json(const LaplaceSpec& spec, const Schema& /*schema*/) {
  const bool tight = spec.calibration == LaplaceCalibration::kTight;
  Json json = Json::object({{"type", "laplace"}, {"calibration", tight ? "tight" : "paper"}});
  if (!spec.shares.empty()) json["shares"] = spec.shares;
  return json;
}
Json to_json(const StrategySpec& spec, const Schema& /*schema*/) { return strategy_to_json(spec); }

}  // namespace

Result<TaskSpec> spec_from_json(const Json& document) {
  if (document.is_array()) {
    return Error{ErrorCode::kWrongType,
                 "a task document must be a JSON object, and this is an array, like a schema; `hearsay design` makes a "
                 "task from a schema"};
  }
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(document, ""));
  // Checks the version before the keys, since another version has other keys.
  HEARSAY_CHECK_OK(check_version(reader));
  if (reader.has("name")) {
    return Error{ErrorCode::kUnknownKey,
                 "the document has an unknown key \"name\": since version 2 the key is `title`"};
  }
  HEARSAY_CHECK_OK(
      reader.allow_only({"version", "title", "schema", "arrangement", "channel", "epsilon", "task_start",
                         "task_duration", "time_precision", "min_batch_size", "report_expiry_age", "cuts"}));
  std::string title;
  if (reader.has("title")) {
    HEARSAY_TRY(title, reader.get_string("title"));
  }
  HEARSAY_TRY(const Json* schema_json, reader.get("schema"));
  HEARSAY_TRY(Schema schema, schema_from_json(*schema_json, reader.path("schema")));
  HEARSAY_TRY(const Json* arrangement_json, reader.get("arrangement"));
  HEARSAY_TRY(ArrangementSpec arrangement,
              arrangement_from_json(*arrangement_json, reader.path("arrangement"), schema.size()));
  HEARSAY_TRY(const Json* channel_json, reader.get("channel"));
  HEARSAY_TRY(ChannelSpec channel, channel_from_json(*channel_json, reader.path("channel"), arrangement, schema));
  HEARSAY_TRY(const Epsilon epsilon, epsilon_from_json(reader));
  HEARSAY_TRY(const std::uint64_t start, get_integer(reader, "task_start", 0, kMaxInteger));
  HEARSAY_TRY(const std::uint64_t duration, get_integer(reader, "task_duration", 1, kMaxInteger));
  HEARSAY_TRY(const std::uint64_t precision, get_integer(reader, "time_precision", 1, kMaxInteger));
  HEARSAY_TRY(const std::uint64_t batch, get_integer(reader, "min_batch_size", 1, kMaxInteger));
  std::uint64_t expiry_age = 0;
  if (reader.has("report_expiry_age")) {
    HEARSAY_TRY(expiry_age, get_integer(reader, "report_expiry_age", 1, kMaxInteger));
  }
  std::vector<Cuts> cuts;
  if (reader.has("cuts")) {
    HEARSAY_TRY(cuts, cuts_from_json(reader, schema));
  }
  return TaskSpec{.title = std::move(title),
                  .schema = std::move(schema),
                  .arrangement = std::move(arrangement),
                  .channel = std::move(channel),
                  .epsilon = epsilon,
                  .task_start = start,
                  .task_duration = duration,
                  .time_precision = precision,
                  .min_batch_size = batch,
                  .report_expiry_age = expiry_age,
                  .cuts = std::move(cuts)};
}

Json spec_to_json(const TaskSpec& spec) {
  Json json = Json::object();
  json["version"] = kVersion;
  if (!spec.title.empty()) json["title"] = spec.title;
  json["schema"] = schema_to_json(spec.schema);
  json["arrangement"] = std::visit([](const auto& kind) { return to_json(kind); }, spec.arrangement);
  json["channel"] = std::visit([&](const auto& kind) { return to_json(kind, spec.schema); }, spec.channel);
  json["epsilon"] = spec.epsilon.to_string();
  json["task_start"] = spec.task_start;
  json["task_duration"] = spec.task_duration;
  json["time_precision"] = spec.time_precision;
  json["min_batch_size"] = spec.min_batch_size;
  if (spec.report_expiry_age != 0) json["report_expiry_age"] = spec.report_expiry_age;
  if (!spec.cuts.empty()) json["cuts"] = cuts_to_json(spec.cuts, spec.schema);
  return json;
}

}  // namespace hearsay
