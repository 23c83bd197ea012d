#include "common/task/task_json.h"

#include <limits>
#include <utility>

#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/channel/laplace.h"
#include "common/channel/sampled.h"
#include "common/schema/schema_json.h"

namespace hearsay {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMaxInteger = (std::int64_t{1} << 53U) - 1;  // every JSON reader holds these exactly

Error invalid_document(std::string message) { return {ErrorCode::kInvalidTask, std::move(message)}; }

// get_int() reports a value out of range as a bad argument; in a document it is a bad task.
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
    return Error{ErrorCode::kUnsupported, reader.path("version") + " is not 1, the only one known here"};
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
  if (type != "characters") return invalid_document(reader.path("type") + " must be literals or characters");
  HEARSAY_CHECK_OK(reader.allow_only({"type", "order"}));
  HEARSAY_TRY(const std::uint64_t order, get_integer(reader, "order", 1, static_cast<std::int64_t>(attributes)));
  return ArrangementSpec(CharactersSpec{static_cast<std::uint32_t>(order)});
}

Result<std::vector<std::uint32_t>> shares_from_json(const ObjectReader& reader, std::size_t attributes) {
  HEARSAY_TRY(const Json* list, reader.get_array("shares"));
  const std::string where = reader.path("shares");
  if (list->size() != attributes) {
    return invalid_document(where + " must have one element for each of the " + std::to_string(attributes) +
                            " attributes");
  }
  constexpr std::uint64_t kMaxShare = LaplaceChannel::kMaxShare;
  std::vector<std::uint32_t> shares;
  shares.reserve(list->size());
  for (const Json& share : *list) {
    const std::string element = where + "[" + std::to_string(shares.size()) + "]";
    if (!share.is_number_integer()) return Error{ErrorCode::kWrongType, element + " must be an integer"};
    // A negative integer becomes one above the range.
    const auto number = share.get<std::uint64_t>();
    if (number < 1 || number > kMaxShare) {
      return invalid_document(element + " must be from 1 to " + std::to_string(kMaxShare));
    }
    shares.push_back(static_cast<std::uint32_t>(number));
  }
  return shares;
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
    HEARSAY_TRY(spec.shares, shares_from_json(reader, attributes));
  }
  return ChannelSpec(spec);
}

Result<GroupWeight> group_from_json(const Json& value, const std::string& where, std::size_t attributes) {
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(value, where));
  HEARSAY_CHECK_OK(reader.allow_only({"kind", "attributes", "weight"}));
  HEARSAY_TRY(const std::string kind, reader.get_string("kind"));
  GroupWeight group;
  if (kind == "raw") {
    group.kind = GroupKind::kRaw;
  } else if (kind == "even") {
    group.kind = GroupKind::kEven;
  } else if (kind != "single") {
    return invalid_document(reader.path("kind") + " must be single, raw or even");
  }
  HEARSAY_TRY(const std::uint64_t size, get_integer(reader, "attributes", 1, static_cast<std::int64_t>(attributes)));
  HEARSAY_TRY(const std::uint64_t weight, get_integer(reader, "weight", 1, std::numeric_limits<std::uint32_t>::max()));
  group.attributes = static_cast<std::uint32_t>(size);
  group.weight = static_cast<std::uint32_t>(weight);
  return group;
}

Result<ChannelSpec> sampled_on_characters(const ObjectReader& reader, std::size_t attributes) {
  HEARSAY_CHECK_OK(reader.allow_only({"type", "spread", "groups"}));
  SampledSpec spec;
  if (reader.has("spread")) {
    HEARSAY_TRY(const std::string spread, reader.get_string("spread"));
    if (spread != "subsets" && spread != "coordinates") {
      return invalid_document(reader.path("spread") + " must be subsets or coordinates");
    }
    if (spread == "coordinates") spec.spread = Spread::kCoordinates;
  }
  HEARSAY_TRY(const Json* groups, reader.get_array("groups"));
  for (const Json& group : *groups) {
    const std::string where = reader.path("groups") + "[" + std::to_string(spec.groups.size()) + "]";
    HEARSAY_TRY(const GroupWeight read, group_from_json(group, where, attributes));
    spec.groups.push_back(read);
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
                                      std::size_t attributes) {
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(value, where));
  HEARSAY_TRY(const std::string type, reader.get_string("type"));
  if (type == "laplace") return laplace_from_json(reader, attributes);
  if (type != "sampled") return invalid_document(reader.path("type") + " must be laplace or sampled");
  const bool literals = std::holds_alternative<LiteralsSpec>(arrangement);
  return literals ? sampled_on_literals(reader) : sampled_on_characters(reader, attributes);
}

Result<Epsilon> epsilon_from_json(const ObjectReader& reader) {
  HEARSAY_TRY(const std::string text, reader.get_string("epsilon"));
  auto epsilon = Epsilon::parse(text);
  if (!epsilon) return invalid_document(reader.path("epsilon") + ": " + epsilon.error().message);
  return epsilon;
}

// Json::object(): a braced list of one pair is an object to one compiler and an array to another.
Json to_json(const LiteralsSpec&) { return Json::object({{"type", "literals"}}); }
Json to_json(const CharactersSpec& spec) { return Json::object({{"type", "characters"}, {"order", spec.order}}); }
Json to_json(const GroupWeight& group) {
  const char* kind = group.kind == GroupKind::kSingle ? "single" : group.kind == GroupKind::kRaw ? "raw" : "even";
  return Json::object({{"kind", kind}, {"attributes", group.attributes}, {"weight", group.weight}});
}
Json to_json(const SampledSpec& spec) {
  Json json = Json::object({{"type", "sampled"}});
  if (spec.group_size != 0) json["group_size"] = spec.group_size;
  if (spec.spread != Spread::kSubsets) json["spread"] = "coordinates";
  if (spec.groups.empty()) return json;
  json["groups"] = Json::array();
  for (const GroupWeight& group : spec.groups) json["groups"].push_back(to_json(group));
  return json;
}
Json to_json(const LaplaceSpec& spec) {
  const bool tight = spec.calibration == LaplaceCalibration::kTight;
  Json json = Json::object({{"type", "laplace"}, {"calibration", tight ? "tight" : "paper"}});
  if (!spec.shares.empty()) json["shares"] = spec.shares;
  return json;
}

}  // namespace

Result<TaskSpec> spec_from_json(const Json& document) {
  HEARSAY_TRY(const ObjectReader reader, ObjectReader::create(document, ""));
  // Before the keys: another version has other keys.
  HEARSAY_CHECK_OK(check_version(reader));
  HEARSAY_CHECK_OK(reader.allow_only({"version", "name", "schema", "arrangement", "channel", "epsilon", "task_start",
                                      "task_duration", "time_precision", "min_batch_size", "report_expiry_age"}));
  std::string name;
  if (reader.has("name")) {
    HEARSAY_TRY(name, reader.get_string("name"));
  }
  HEARSAY_TRY(const Json* schema_json, reader.get("schema"));
  HEARSAY_TRY(Schema schema, schema_from_json(*schema_json, reader.path("schema")));
  HEARSAY_TRY(const Json* arrangement_json, reader.get("arrangement"));
  HEARSAY_TRY(const ArrangementSpec arrangement,
              arrangement_from_json(*arrangement_json, reader.path("arrangement"), schema.size()));
  HEARSAY_TRY(const Json* channel_json, reader.get("channel"));
  HEARSAY_TRY(ChannelSpec channel,
              channel_from_json(*channel_json, reader.path("channel"), arrangement, schema.size()));
  HEARSAY_TRY(const Epsilon epsilon, epsilon_from_json(reader));
  HEARSAY_TRY(const std::uint64_t start, get_integer(reader, "task_start", 0, kMaxInteger));
  HEARSAY_TRY(const std::uint64_t duration, get_integer(reader, "task_duration", 1, kMaxInteger));
  HEARSAY_TRY(const std::uint64_t precision, get_integer(reader, "time_precision", 1, kMaxInteger));
  HEARSAY_TRY(const std::uint64_t batch, get_integer(reader, "min_batch_size", 1, kMaxInteger));
  std::uint64_t expiry_age = 0;
  if (reader.has("report_expiry_age")) {
    HEARSAY_TRY(expiry_age, get_integer(reader, "report_expiry_age", 1, kMaxInteger));
  }
  return TaskSpec{.name = std::move(name),
                  .schema = std::move(schema),
                  .arrangement = arrangement,
                  .channel = std::move(channel),
                  .epsilon = epsilon,
                  .task_start = start,
                  .task_duration = duration,
                  .time_precision = precision,
                  .min_batch_size = batch,
                  .report_expiry_age = expiry_age};
}

Json spec_to_json(const TaskSpec& spec) {
  const auto dispatch = [](const auto& kind) { return to_json(kind); };
  Json json = Json::object();
  json["version"] = kVersion;
  if (!spec.name.empty()) json["name"] = spec.name;
  json["schema"] = schema_to_json(spec.schema);
  json["arrangement"] = std::visit(dispatch, spec.arrangement);
  json["channel"] = std::visit(dispatch, spec.channel);
  json["epsilon"] = spec.epsilon.to_string();
  json["task_start"] = spec.task_start;
  json["task_duration"] = spec.task_duration;
  json["time_precision"] = spec.time_precision;
  json["min_batch_size"] = spec.min_batch_size;
  if (spec.report_expiry_age != 0) json["report_expiry_age"] = spec.report_expiry_age;
  return json;
}

}  // namespace hearsay
