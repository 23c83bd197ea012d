#include "hearsay/task.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>

#include "common/arrangement/arrangement.h"
#include "common/base/strict_json.h"
#include "common/channel/channel.h"
#include "common/task/task_json.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kDay = 86'400;
constexpr std::uint64_t kLimit = std::uint64_t{1} << 53U;

Schema schema() {
  return *Schema::create(
      {*Attribute::boolean("a"), *Attribute::categorical("c", {"x", "y", "z"}), *Attribute::range("r", 0, 9)});
}

TaskSpec spec() {
  return {.title = "test",
          .schema = schema(),
          .arrangement = LiteralsSpec{},
          .channel = LaplaceSpec{},
          .epsilon = *Epsilon::parse("1"),
          .task_start = 20'000 * kDay,
          .task_duration = 30 * kDay,
          .time_precision = kDay,
          .min_batch_size = 100};
}

TaskSpec with_shares(std::vector<std::uint32_t> shares) {
  TaskSpec changed = spec();
  changed.channel = LaplaceSpec{.calibration = LaplaceCalibration::kTight, .shares = std::move(shares)};
  return changed;
}

TaskSpec with_groups(std::vector<GroupWeight> groups) {
  TaskSpec changed = spec();
  changed.arrangement = CharactersSpec{.order = 2};
  changed.channel = SampledSpec{.groups = std::move(groups), .group_size = 0};
  return changed;
}

std::vector<GroupWeight> groups_of(const Task& task) { return std::get<SampledSpec>(task.spec().channel).groups; }

std::vector<std::uint32_t> shares_of(const Task& task) { return std::get<LaplaceSpec>(task.spec().channel).shares; }

void check_refused(const TaskSpec& refused, ErrorCode code, std::string_view field) {
  const auto task = Task::create(refused);
  REQUIRE_FALSE(task);
  CAPTURE(task.error().message);
  CHECK(error_name(task.error().code) == error_name(code));
  CHECK(task.error().message.starts_with(field));
}

template <class Change>
void check_refused(Change change, std::string_view field) {
  TaskSpec changed = spec();
  change(changed);
  check_refused(changed, ErrorCode::kInvalidTask, field);
}

TEST_CASE("a task keeps the values from which it was made") {
  const auto task = Task::create(spec());
  REQUIRE(task);
  CHECK(task->schema() == schema());
  CHECK(task->spec().title == "test");
  CHECK(task->spec().min_batch_size == 100);
  CHECK(task->end() == 20'030 * kDay);
  CHECK(task->arrangement().dimension() == 1 + 3 + 9);
  CHECK(std::get<LaplaceChannel>(task->channel().kind()).coordinates() == 13);
}

TEST_CASE("a report's window is its time, truncated") {
  const auto task = Task::create(spec());
  REQUIRE(task);
  const std::uint64_t start = task->spec().task_start;
  CHECK(task->window_of(start) == start);
  CHECK(task->window_of(start + kDay - 1) == start);
  CHECK(task->window_of(start + kDay) == start + kDay);
}

TEST_CASE("every part of the agreement is in the id") {
  const auto changed = [](auto change) {
    TaskSpec other = spec();
    change(other);
    return Task::create(std::move(other))->id();
  };
  const std::vector<TaskId> ids = {
      Task::create(spec())->id(),
      changed([](TaskSpec& s) { s.title = "other"; }),
      changed([](TaskSpec& s) { s.title.clear(); }),
      changed([](TaskSpec& s) { s.schema = *Schema::create({schema()[0]}); }),
      changed([](TaskSpec& s) { s.channel = LaplaceSpec{.calibration = LaplaceCalibration::kPaper, .shares = {}}; }),
      with_shares({1, 1, 1}).channel == spec().channel ? TaskId{} : Task::create(with_shares({1, 1, 1}))->id(),
      changed([](TaskSpec& s) { s.epsilon = *Epsilon::parse("1.000001"); }),
      changed([](TaskSpec& s) { s.task_start += kDay; }),
      changed([](TaskSpec& s) { s.task_duration += kDay; }),
      changed([](TaskSpec& s) { s.time_precision /= 2; }),
      changed([](TaskSpec& s) { s.min_batch_size += 1; }),
      changed([](TaskSpec& s) { s.report_expiry_age = 1; }),
      changed([](TaskSpec& s) { s.report_expiry_age = kDay; }),
  };
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(ids[i] != ids[j]);
  }
}

TEST_CASE("shares are in lowest terms, and left out if they are the default") {
  const TaskId by_default = Task::create(spec())->id();
  // The sensitivities are 2, 4 and 18, so these shares are the default.
  for (const std::uint32_t factor : {1U, 2U, 7U, 100'000U}) {
    const auto task = Task::create(with_shares({factor, 2 * factor, 9 * factor}));
    REQUIRE(task);
    CHECK(shares_of(*task).empty());
    CHECK(task->id() == by_default);
  }
  const auto reduced = Task::create(with_shares({10, 20, 80}));
  REQUIRE(reduced);
  CHECK(shares_of(*reduced) == std::vector<std::uint32_t>{1, 2, 8});
  CHECK(reduced->id() == Task::create(with_shares({1, 2, 8}))->id());
  CHECK(reduced->id() != by_default);
}

// The id and the noise do not depend on how the shares are written.
TEST_CASE("shares that give the same id give the same scales") {
  const auto scales = [](const TaskSpec& of) {
    const auto arrangement = Arrangement::create(of.arrangement, of.schema);
    const auto channel = Channel::create(of.channel, *arrangement, of.epsilon);
    const auto& laplace = std::get<LaplaceChannel>(channel->kind());
    std::vector<Rational> all;
    for (std::size_t j = 0; j < laplace.coordinates(); ++j) all.push_back(laplace.scale(j));
    return all;
  };
  CHECK(scales(with_shares({5, 10, 45})) == scales(spec()));
  CHECK(scales(with_shares({10, 20, 80})) == scales(with_shares({1, 2, 8})));
  CHECK(scales(with_shares({1, 2, 8})) != scales(spec()));
}

TEST_CASE("shares that the channel refuses are a fault of the task") {
  for (const auto& shares : {std::vector<std::uint32_t>{1, 1}, {1, 0, 1}, {1, 1, (1U << 20U) + 1}, {1, 1, 1, 1}}) {
    check_refused(with_shares(shares), ErrorCode::kInvalidTask, "channel: ");
  }
  TaskSpec paper = spec();
  paper.channel = LaplaceSpec{.calibration = LaplaceCalibration::kPaper, .shares = {1, 1, 1}};
  check_refused(paper, ErrorCode::kInvalidTask, "channel: ");
}

TEST_CASE("an order above the number of attributes is a fault of the task") {
  TaskSpec characters = spec();
  characters.arrangement = CharactersSpec{.order = 4};
  check_refused(characters, ErrorCode::kInvalidTask, "arrangement: ");
}

TEST_CASE("groups that the channel refuses are a fault of the task") {
  TaskSpec sampled = spec();
  sampled.channel = SampledSpec{};
  check_refused(sampled, ErrorCode::kInvalidTask, "channel: ");
  check_refused(with_groups({{GroupKind::kSingle, 3, 1}}), ErrorCode::kInvalidTask, "channel: ");  // order 2
  check_refused(with_groups({{GroupKind::kRaw, 2, 0}}), ErrorCode::kInvalidTask, "channel: ");
}

TEST_CASE("weights are in lowest terms, and groups have one order, which gives their numbers") {
  const std::vector<GroupWeight> canonical = {
      {GroupKind::kSingle, 1, 2}, {GroupKind::kSingle, 2, 1}, {GroupKind::kRaw, 2, 3}, {GroupKind::kEven, 3, 2}};
  const auto task = Task::create(with_groups(canonical));
  REQUIRE(task);
  CHECK(groups_of(*task) == canonical);
  for (const std::uint32_t factor : {1U, 6U, 1'000'000'007U}) {
    std::vector<GroupWeight> other = {canonical[2], canonical[3], canonical[1], canonical[0]};
    for (GroupWeight& group : other) group.weight *= factor;
    const auto same = Task::create(with_groups(other));
    REQUIRE(same);
    CHECK(groups_of(*same) == canonical);
    CHECK(same->id() == task->id());
    const auto& channel = std::get<SampledChannel>(same->channel().kind());
    REQUIRE(channel.classes().size() == canonical.size());
    for (std::size_t c = 0; c < canonical.size(); ++c) {
      CHECK(channel.classes()[c].kind == canonical[c].kind);
      CHECK(channel.classes()[c].size == canonical[c].size);
      CHECK(channel.classes()[c].weight == canonical[c].weight);
    }
  }
  auto others = canonical;
  others[0].weight = 3;
  CHECK(Task::create(with_groups(others))->id() != task->id());
}

TEST_CASE("attributes and odds with the same meaning have the same form") {
  using enum GroupKind;
  const auto id_of = [](std::vector<GroupWeight> groups) { return Task::create(with_groups(std::move(groups)))->id(); };
  const TaskId all = id_of({{kSingle, 2, 1}});
  CHECK(id_of({{kSingle, 2, 1, {0, 1, 2}}}) == all);
  CHECK(id_of({{kSingle, 2, 1, {0, 1, 2}, {5, 5, 5}}}) == all);
  CHECK(id_of({{kSingle, 2, 1, {}, {5, 5, 5}}}) == all);
  CHECK(id_of({{kSingle, 2, 1, {}, {5, 5, 6}}}) != all);
  CHECK(id_of({{kSingle, 2, 1, {0, 2}, {3, 4}}}) == id_of({{kSingle, 2, 1, {0, 2}}}));  // the class has only one set
  CHECK(id_of({{kSingle, 1, 1, {0, 2}, {3, 6}}}) == id_of({{kSingle, 1, 1, {0, 2}, {1, 2}}}));
  CHECK(id_of({{kSingle, 1, 1, {0, 2}, {3, 6}}}) != id_of({{kSingle, 1, 1, {0, 2}}}));
  const GroupWeight first{kSingle, 1, 1, {0}};
  const GroupWeight second{kSingle, 1, 3, {1}};
  CHECK(id_of({first, second}) == id_of({second, first}));
}

TEST_CASE("a report expires report_expiry_age after the end of its window, or never if the task has no such age") {
  TaskSpec aging = spec();
  CHECK_FALSE(Task::create(aging)->is_expired(aging.task_start, ~std::uint64_t{0}));
  aging.report_expiry_age = 3600;
  const Task task = *Task::create(aging);
  const std::uint64_t end = aging.task_start + kDay + 3600;
  for (const std::uint64_t time : {aging.task_start, aging.task_start + kDay - 1}) {
    CHECK_FALSE(task.is_expired(time, 0));
    CHECK_FALSE(task.is_expired(time, end - 1));
    CHECK(task.is_expired(time, end));
    CHECK(task.is_expired(time, ~std::uint64_t{0}));
  }
  CHECK_FALSE(task.is_expired(aging.task_start + kDay, end));

  const auto parsed = Task::parse(task.canonical_json());
  REQUIRE(parsed);
  CHECK(parsed->spec().report_expiry_age == 3600);
  CHECK(parsed->id() == task.id());
  CHECK(Task::create(spec())->canonical_json().find("report_expiry_age") == std::string::npos);
}

TEST_CASE("times and sizes are accepted at the limits and refused beyond them") {
  check_refused([](TaskSpec& s) { s.time_precision = 0; }, "time_precision");
  check_refused([](TaskSpec& s) { s.time_precision = 366 * kDay + 1; }, "time_precision");
  check_refused([](TaskSpec& s) { s.task_start += 1; }, "task_start");
  check_refused([](TaskSpec& s) { s.task_duration = 0; }, "task_duration");
  check_refused([](TaskSpec& s) { s.task_duration += 1; }, "task_duration");
  check_refused([](TaskSpec& s) { s.min_batch_size = 0; }, "min_batch_size");
  check_refused([](TaskSpec& s) { s.min_batch_size = kLimit; }, "min_batch_size");
  check_refused([](TaskSpec& s) { s.report_expiry_age = kLimit; }, "report_expiry_age");

  TaskSpec last = spec();
  last.time_precision = 1;
  last.task_start = kLimit - 2;
  last.task_duration = 1;
  last.min_batch_size = kLimit - 1;
  REQUIRE(Task::create(last));
  CHECK(Task::create(last)->end() == kLimit - 1);
  for (const std::uint64_t duration :
       {std::uint64_t{2}, kLimit, ~std::uint64_t{0}, ~std::uint64_t{0} - last.task_start}) {
    last.task_duration = duration;
    check_refused(last, ErrorCode::kInvalidTask, "task_duration");
  }
  last.task_duration = 1;
  last.task_start = ~std::uint64_t{0};
  check_refused(last, ErrorCode::kInvalidTask, "task_duration");
}

TEST_CASE("a title has at most 256 bytes of UTF-8 without control characters") {
  TaskSpec longest = spec();
  longest.title = std::string(256, 'n');
  CHECK(Task::create(longest));
  check_refused([](TaskSpec& s) { s.title = std::string(257, 'n'); }, "title");
  check_refused([](TaskSpec& s) { s.title = "\xc0\x80"; }, "title");
  check_refused([](TaskSpec& s) { s.title = "a\nb"; }, "title");
}

TEST_CASE("titles and units of attributes change the id, but nothing of a report") {
  const Task plain = *Task::create(spec());
  TaskSpec changed = spec();
  std::vector<Attribute> attributes(changed.schema.attributes().begin(), changed.schema.attributes().end());
  attributes[0] = std::move(attributes[0]).with_title("Do you smoke?").value();
  changed.schema = *Schema::create(attributes);
  const Task titled = *Task::create(changed);
  CHECK(titled.id() != plain.id());
  CHECK(titled.schema().has_same_records(plain.schema()));
  CHECK(titled.arrangement().dimension() == plain.arrangement().dimension());
  CHECK(titled.channel().payload_size() == plain.channel().payload_size());
  const auto read = Task::parse(titled.canonical_json());
  REQUIRE(read);
  CHECK(read->id() == titled.id());
  CHECK(read->schema()[0].title() == "Do you smoke?");
}

TEST_CASE("the errors about a document of another version and about the old name say what to do") {
  Json document = spec_to_json(spec());
  document["version"] = 1;
  const Error version = Task::parse(document.dump()).error();
  CHECK(version.code == ErrorCode::kUnsupported);
  CHECK(version.message.starts_with("version is 1, and only 2 is known here: make a new task with"));
  document["version"] = 2;
  document["name"] = "habits";
  const Error name = Task::parse(document.dump()).error();
  CHECK(name.code == ErrorCode::kUnknownKey);
  CHECK(name.message == "the document has an unknown key \"name\": since version 2 the key is `title`");
}

TEST_CASE("a schema in the place of a task document is recognised, and a task document in the place of a schema") {
  CHECK(Task::parse("[]").error().message.find("`hearsay design` makes a task from a schema") != std::string::npos);
  CHECK(Schema::parse(R"({"version": 2, "schema": []})").error().message.find("this is a task document") !=
        std::string::npos);
}

TEST_CASE("unknown types of arrangements and channels are refused") {
  const Json good = spec_to_json(spec());
  const auto refusal = [&](const char* member, const char* type) {
    Json changed = good;
    changed[member] = Json::object({{"type", type}});
    const auto task = Task::parse(changed.dump());
    REQUIRE_FALSE(task);
    return task.error();
  };
  CHECK(refusal("arrangement", "strategy").code == ErrorCode::kInvalidTask);
  CHECK(refusal("channel", "explicit").code == ErrorCode::kInvalidTask);
}

TEST_CASE("a document longer than 4 MiB is refused, both in reading and in making a task") {
  const std::string canonical = Task::create(spec())->canonical_json();
  CHECK(Task::parse(canonical + std::string(Task::kMaxJsonBytes - canonical.size(), ' ')));
  const auto read = Task::parse(canonical + std::string(Task::kMaxJsonBytes - canonical.size() + 1, ' '));
  REQUIRE_FALSE(read);
  CHECK(read.error().code == ErrorCode::kLimitExceeded);

  std::vector<std::string> values;
  for (int i = 100'000; i < 140'000; ++i) values.push_back(std::to_string(i) + std::string(104, 'v'));
  TaskSpec large = spec();
  large.schema = *Schema::create({*Attribute::categorical("c", values)});
  check_refused(large, ErrorCode::kLimitExceeded, "the task document");
  values.resize(20'000);
  large.schema = *Schema::create({*Attribute::categorical("c", values)});
  CHECK(Task::create(large));
}

TEST_CASE("specifications of every kind are unchanged after their document is read") {
  std::vector<TaskSpec> specs = {
      spec(), with_shares({1, 2, 3}),
      with_groups({{GroupKind::kSingle, 2, 4'294'967'295U}, {GroupKind::kRaw, 2, 7}, {GroupKind::kEven, 3, 1}}),
      with_groups({{GroupKind::kRaw, 2, 1, {0, 2}}, {GroupKind::kRaw, 2, 1, {}, {1, 2, 3}}})};
  specs.push_back(spec());
  specs.back().channel = SampledSpec{.groups = {}, .group_size = 16};
  specs.push_back(spec());
  specs.back().arrangement = CharactersSpec{.order = 3};
  for (const TaskSpec& written : specs) {
    const auto read = spec_from_json(spec_to_json(written));
    REQUIRE(read);
    CHECK(read->arrangement == written.arrangement);
    CHECK(read->channel == written.channel);
  }
}

// A parser of JSON gives non-negative integers as unsigned. A document built in memory may have signed integers.
TEST_CASE("a document built in memory is read like a parsed document") {
  Json document = spec_to_json(with_shares({1, 2, 3}));
  document["task_start"] = static_cast<std::int64_t>(spec().task_start);
  document["channel"]["shares"] = {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}};
  const auto read = spec_from_json(document);
  REQUIRE(read);
  CHECK(read->task_start == spec().task_start);
  CHECK(read->channel == with_shares({1, 2, 3}).channel);
}

TEST_CASE("a task id has exactly one text") {
  TaskId id{};
  for (std::size_t i = 0; i < id.bytes.size(); ++i) id.bytes[i] = static_cast<std::uint8_t>(i * 37 + 1);
  const std::string text = id.to_string();
  CHECK(text.size() == 43);
  REQUIRE(TaskId::parse(text));
  CHECK(*TaskId::parse(text) == id);
  CHECK(TaskId{}.to_string() == std::string(43, 'A'));

  // The last character has 4 bits of the id. If one of its other 2 bits is set, the text is not an id.
  std::string last_bit = text;
  last_bit.back() = static_cast<char>(last_bit.back() + 1);
  for (const std::string& refused : {std::string(), text.substr(1), text + "=", text + "A", "+" + text.substr(1),
                                     " " + text.substr(1), text.substr(0, 42) + "=", last_bit}) {
    CAPTURE(refused);
    const auto parsed = TaskId::parse(refused);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("copies of a task share its parts") {
  const auto task = Task::create(spec());
  REQUIRE(task);
  const Task copy = *task;  // NOLINT(performance-unnecessary-copy-initialization)
  CHECK(&copy.channel() == &task->channel());
  CHECK(&copy.schema() == &task->schema());
}

}  // namespace
}  // namespace hearsay
