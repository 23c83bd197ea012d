// Computes the law of a report: the groups, their weights and γ. sampled_report.cc draws from this law.

#include "common/channel/sampled.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "common/base/try.h"
#include "common/channel/sampled_state.h"
#include "common/privacy/randomized_response.h"

namespace hearsay {
namespace {

using GroupClass = SampledChannel::GroupClass;

constexpr std::uint64_t kMaxGroups = std::uint64_t{1} << 62U;

Error invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

std::string name_of(const GroupWeight& group) {
  const char* kind = group.kind == GroupKind::kSingle ? "single" : group.kind == GroupKind::kRaw ? "raw" : "even";
  return std::string("the group `") + kind + "` of size " + std::to_string(group.size) + " ";
}

struct Answers {
  std::uint32_t width;  // bits
  std::uint64_t count;
};

// Returns the width and the number of the group's answers. `attributes` are those that the group may ask.
Result<Answers> answers_of(const GroupWeight& group, std::span<const std::uint32_t> attributes,
                           std::span<const Questions> questions) {
  std::uint32_t most = 0;
  std::uint32_t fewest = UINT32_MAX;
  for (const std::uint32_t i : attributes) {
    most = std::max(most, questions[i].answers());
    fewest = std::min(fewest, questions[i].answers());
  }
  if (group.kind != GroupKind::kRaw) {
    if (most > 2)
      return invalid(name_of(group) + "asks an attribute whose answers have more than one bit; only the kind raw may");
    const std::uint32_t width = group.kind == GroupKind::kSingle ? 1 : group.size - 1;
    return Answers{width, std::uint64_t{1} << std::min(width, SampledChannel::kMaxWidth)};
  }
  if (group.size < attributes.size() && most != fewest) {
    return invalid(name_of(group) +
                   "draws from attributes with different numbers of answers; all must have the same number");
  }
  Answers answers{0, 1};
  for (std::uint32_t i = 0; i < group.size; ++i) {
    const Questions& of_one = questions[attributes[i]];
    answers.width += of_one.width();
    if (answers.width <= SampledChannel::kMaxWidth) answers.count *= of_one.answers();
  }
  if (answers.width < 2)
    return invalid(name_of(group) + "must have a size of at least 2, or an answer of several bits");
  return answers;
}

Result<void> check_attributes(const GroupWeight& group, std::size_t of_schema) {
  const std::vector<std::uint32_t>& attributes = group.attributes;
  const std::size_t asked = attributes.empty() ? of_schema : attributes.size();
  if (group.size > asked) return invalid(name_of(group) + "is larger than the number of attributes that it may ask");
  if (!attributes.empty() && attributes.back() >= of_schema)
    return invalid(name_of(group) + "asks an attribute that the schema lacks");
  if (std::adjacent_find(attributes.begin(), attributes.end(), std::greater_equal<>()) != attributes.end()) {
    return invalid(name_of(group) + "must ask attributes in ascending order, each once");
  }
  if (!group.odds.empty() && group.odds.size() != asked) {
    return invalid(name_of(group) + "must have as many odds as attributes");
  }
  const auto is_odds = [](std::uint32_t odds) { return odds >= 1 && odds <= SampledChannel::kMaxOdds; };
  if (!std::all_of(group.odds.begin(), group.odds.end(), is_odds)) {
    return invalid(name_of(group) + "must have odds from 1 to " + std::to_string(SampledChannel::kMaxOdds));
  }
  return {};
}

Result<void> check_group(const GroupWeight& group, const Characters& characters) {
  const std::uint32_t least = group.kind == GroupKind::kEven ? 3 : 1;
  if (group.size < least) return invalid(name_of(group) + "must have a size of at least " + std::to_string(least));
  if (group.weight < 1) return invalid(name_of(group) + "has the weight 0");
  HEARSAY_CHECK_OK(check_attributes(group, characters.index().attributes()));
  std::uint32_t covered = 0;
  for (std::uint32_t l = 1; l <= characters.order(); ++l) covered += covers(group.kind, group.size, l) ? 1 : 0;
  if (covered == 0) return invalid(name_of(group) + "measures no coordinate of the arrangement");
  return {};
}

Result<void> check_groups(std::span<const GroupWeight> groups, const Characters& characters) {
  if (groups.empty()) return invalid("groups must be given on the arrangement `characters`");
  std::set<std::tuple<GroupKind, std::uint32_t, std::vector<std::uint32_t>, std::vector<std::uint32_t>>> seen;
  for (const GroupWeight& group : groups) {
    HEARSAY_CHECK_OK(check_group(group, characters));
    if (!seen.emplace(group.kind, group.size, group.attributes, group.odds).second) {
      return invalid(name_of(group) + "is given twice");
    }
  }
  return {};
}

Result<void> number_groups(std::vector<GroupClass>& classes, const Epsilon& epsilon) {
  std::uint64_t first = 0;
  for (GroupClass& group_class : classes) {
    group_class.first = first;
    if (group_class.count > kMaxGroups - first) {
      return Error{ErrorCode::kLimitExceeded, "there are more than 2^62 groups: take fewer attributes together"};
    }
    first += group_class.count;
    group_class.gamma = truth_in_2_to_64(epsilon, group_class.answers);
    if (group_class.gamma == 0) {
      return Error{ErrorCode::kScaleTooLarge, "epsilon is too small: an answer would hold no information"};
    }
  }
  return {};
}

struct Groups {
  std::variant<GroupsOfLiterals, GroupsOfCharacters> kind;
  std::vector<GroupClass> classes;
};

Result<Groups> groups_of(const SampledSpec& spec, const Literals& literals) {
  const std::uint64_t d = literals.dimension();
  if (!spec.groups.empty() || !spec.questions.empty()) {
    return invalid("groups and questions go with the arrangement `characters` only; `literals` takes group_size");
  }
  if (spec.group_size > SampledChannel::kMaxWidth) {
    return Error{ErrorCode::kLimitExceeded, "group_size must be at most " + std::to_string(SampledChannel::kMaxWidth)};
  }
  if (spec.group_size < 1 || spec.group_size > d) {
    return invalid("group_size must be from 1 to the number of literals, " + std::to_string(d));
  }
  const std::uint64_t whole = d / spec.group_size;
  const auto rest = static_cast<std::uint32_t>(d % spec.group_size);
  std::vector<GroupClass> classes{{GroupKind::kRaw, 0, spec.group_size, 1U << spec.group_size, 0, whole, whole, 0}};
  if (rest > 0) classes.push_back({GroupKind::kRaw, 0, rest, 1U << rest, 0, 1, 1, 0});
  return Groups{GroupsOfLiterals{literals, spec.group_size}, std::move(classes)};
}

Result<Groups> groups_of(const SampledSpec&, const Explicit&) {
  return Error{ErrorCode::kUnsupported,
               "this version has no channel `sampled` for the arrangement `explicit`: use `laplace`"};
}

Result<std::vector<Questions>> questions_of(const SampledSpec& spec, const Characters& characters) {
  const std::size_t attributes = characters.index().attributes();
  if (!spec.questions.empty() && spec.questions.size() != attributes) {
    return invalid("questions must be given for every attribute or for none");
  }
  std::vector<Questions> all;
  for (std::size_t i = 0; i < attributes; ++i) {
    const QuestionSpec of_one = spec.questions.empty() ? QuestionSpec() : spec.questions[i];
    auto questions = Questions::create(of_one, characters.values(i));
    if (!questions) {
      return Error{questions.error().code,
                   "the questions about attribute " + std::to_string(i) + ": " + questions.error().message};
    }
    all.push_back(*std::move(questions));
  }
  return all;
}

Result<AskedGroups> asked_groups(const GroupWeight& group, std::span<const Questions> questions) {
  std::vector<std::uint32_t> attributes = group.attributes;
  if (attributes.empty()) {
    attributes.resize(questions.size());
    std::iota(attributes.begin(), attributes.end(), 0U);
  }
  std::vector<std::uint32_t> counts;
  for (const std::uint32_t i : attributes) counts.push_back(questions[i].count());
  std::vector<std::uint32_t> odds = group.odds;
  odds.resize(attributes.size(), 1);
  const bool equal = std::adjacent_find(odds.begin(), odds.end(), std::not_equal_to<>()) == odds.end();
  HEARSAY_TRY(CharacterIndex groups, CharacterIndex::create(std::move(counts), group.size));
  HEARSAY_TRY(CharacterIndex sets, CharacterIndex::create(std::move(odds), group.size));
  return AskedGroups{std::move(attributes), std::move(groups), std::move(sets), equal};
}

Result<Groups> groups_of(const SampledSpec& spec, const Characters& characters) {
  if (spec.group_size != 0)
    return invalid("group_size goes with the arrangement `literals` only; `characters` takes groups");
  HEARSAY_CHECK_OK(check_groups(spec.groups, characters));
  HEARSAY_TRY(std::vector<Questions> questions, questions_of(spec, characters));
  const bool are_parities = std::all_of(questions.begin(), questions.end(), std::mem_fn(&Questions::are_parities));
  GroupsOfCharacters kind{characters, std::move(questions), are_parities, {}};
  std::vector<GroupClass> classes;
  for (const GroupWeight& group : spec.groups) {
    HEARSAY_TRY(AskedGroups asked, asked_groups(group, kind.questions));
    HEARSAY_TRY(const Answers answers, answers_of(group, asked.attributes, kind.questions));
    if (answers.width > SampledChannel::kMaxWidth) {
      return Error{ErrorCode::kLimitExceeded,
                   name_of(group) + "asks more than " + std::to_string(SampledChannel::kMaxWidth) + " bits"};
    }
    classes.push_back({group.kind, group.size, answers.width, static_cast<std::uint32_t>(answers.count), 0,
                       asked.groups.count(group.size), group.weight, 0});
    kind.of_class.push_back(std::move(asked));
  }
  return Groups{std::move(kind), std::move(classes)};
}

bool equal(const Literals& a, const Literals& b) {
  return std::equal(a.blocks().begin(), a.blocks().end(), b.blocks().begin(), b.blocks().end(),
                    [](const AttributeBlock& x, const AttributeBlock& y) {
                      return x.size == y.size && x.sensitivity == y.sensitivity;
                    });
}

bool equal(const Characters& a, const Characters& b) {
  if (a.order() != b.order() || a.index().attributes() != b.index().attributes()) return false;
  for (std::size_t i = 0; i < a.index().attributes(); ++i) {
    if (a.values(i) != b.values(i)) return false;
  }
  return true;
}

}  // namespace

SampledChannel::SampledChannel(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Result<SampledChannel> SampledChannel::create(const SampledSpec& spec, const Arrangement& arrangement,
                                              const Epsilon& epsilon) {
  HEARSAY_TRY(Groups groups, std::visit([&](const auto& kind) { return groups_of(spec, kind); }, arrangement.kind()));
  HEARSAY_CHECK_OK(number_groups(groups.classes, epsilon));
  State state{std::move(groups.kind), arrangement.dimension(), std::move(groups.classes), {}};
  for (const GroupClass& group_class : state.classes) {
    state.total_weight += group_class.weight;
    state.weight_up_to.push_back(state.total_weight);
    state.groups += group_class.count;
    state.answer_bits = std::max(state.answer_bits, group_class.width);
  }
  const auto group_bits = static_cast<unsigned>(std::bit_width(state.groups - 1));
  state.payload_size = (group_bits + state.answer_bits + 7) / 8;
  return SampledChannel(std::make_shared<const State>(std::move(state)));
}

Result<SampledChannel> SampledChannel::with_gammas(std::span<const std::uint64_t> gammas) const {
  State state = *state_;
  if (gammas.size() != state.classes.size() || std::find(gammas.begin(), gammas.end(), 0) != gammas.end()) {
    return invalid("there must be one gamma above 0 for each class of groups");
  }
  for (std::size_t c = 0; c < gammas.size(); ++c) state.classes[c].gamma = gammas[c];
  return SampledChannel(std::make_shared<const State>(std::move(state)));
}

std::span<const GroupClass> SampledChannel::classes() const { return state_->classes; }
std::uint64_t SampledChannel::total_weight() const { return state_->total_weight; }
std::uint64_t SampledChannel::groups() const { return state_->groups; }
std::size_t SampledChannel::dimension() const { return state_->dimension; }
std::size_t SampledChannel::payload_size() const { return state_->payload_size; }

bool SampledChannel::is_over(const Arrangement& arrangement) const {
  if (const auto* groups = std::get_if<GroupsOfCharacters>(&state_->kind)) {
    const auto* characters = std::get_if<Characters>(&arrangement.kind());
    return characters != nullptr && equal(groups->characters, *characters);
  }
  const auto* literals = std::get_if<Literals>(&arrangement.kind());
  return literals != nullptr && equal(std::get<GroupsOfLiterals>(state_->kind).literals, *literals);
}

const GroupClass& SampledChannel::class_of(std::uint64_t group) const {
  const std::vector<GroupClass>& classes = state_->classes;
  return *(std::upper_bound(classes.begin(), classes.end(), group,
                            [](std::uint64_t number, const GroupClass& other) { return number < other.first; }) -
           1);
}

const Questions& SampledChannel::questions(std::size_t attribute) const {
  return std::get<GroupsOfCharacters>(state_->kind).questions[attribute];
}

bool SampledChannel::asks_parities() const {
  const auto* groups = std::get_if<GroupsOfCharacters>(&state_->kind);
  return groups != nullptr && groups->are_parities;
}

}  // namespace hearsay
