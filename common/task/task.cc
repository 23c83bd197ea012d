#include "hearsay/task.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "common/arrangement/arrangement.h"
#include "common/base/encoding.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/base/utf8.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"
#include "common/random/hash.h"
#include "common/task/coarsening.h"
#include "common/task/explicit_json.h"
#include "common/task/task_json.h"

namespace hearsay {
namespace {

constexpr std::size_t kMaxTitleBytes = 256;
constexpr std::uint64_t kTimeLimit = std::uint64_t{1} << 53U;  // a double holds smaller integers exactly
constexpr std::uint64_t kMaxTimePrecision = 366ULL * 86'400;
constexpr std::size_t kMaxJsonDepth = 8;

Error invalid(std::string message) { return {ErrorCode::kInvalidTask, std::move(message)}; }

// Turns kInvalidArgument into kInvalidTask. Puts `where`, the path of the fault, before the message.
Error located(const std::string& where, const Error& error) {
  const bool argument = error.code == ErrorCode::kInvalidArgument;
  return {argument ? ErrorCode::kInvalidTask : error.code, where + ": " + error.message};
}

Result<void> check_title(std::string_view title) {
  if (title.size() > kMaxTitleBytes)
    return invalid("title must have at most " + std::to_string(kMaxTitleBytes) + " bytes");
  for (std::size_t offset = 0; offset < title.size();) {
    const auto point = next_code_point(title, offset);
    if (!point) return invalid("title is not UTF-8");
    if (is_control(*point)) return invalid("title has a control character");
  }
  return {};
}

Result<void> check_numbers(const TaskSpec& spec) {
  if (spec.time_precision < 1 || spec.time_precision > kMaxTimePrecision) {
    return invalid("time_precision must be from 1 to " + std::to_string(kMaxTimePrecision) + " seconds");
  }
  if (spec.task_start % spec.time_precision != 0) return invalid("task_start must be a multiple of time_precision");
  if (spec.task_duration == 0 || spec.task_duration % spec.time_precision != 0) {
    return invalid("task_duration must be a positive multiple of time_precision");
  }
  if (spec.task_start >= kTimeLimit || spec.task_duration >= kTimeLimit - spec.task_start) {
    return invalid("task_duration must end the task before 2^53 seconds after 1970");
  }
  if (spec.min_batch_size < 1 || spec.min_batch_size >= kTimeLimit) {
    return invalid("min_batch_size must be from 1 to 2^53 - 1");
  }
  if (spec.report_expiry_age >= kTimeLimit) return invalid("report_expiry_age must be below 2^53");
  return {};
}

// Returns the canonical shares: divided by their greatest common divisor, and an empty list if they are the default.
std::vector<std::uint32_t> canonical_shares(std::vector<std::uint32_t> shares, std::span<const AttributeBlock> blocks) {
  std::uint32_t share_divisor = 0;
  for (const std::uint32_t share : shares) share_divisor = std::gcd(share_divisor, share);
  std::uint64_t sensitivity_divisor = 0;
  for (const AttributeBlock& block : blocks) sensitivity_divisor = std::gcd(sensitivity_divisor, block.sensitivity);
  for (std::uint32_t& share : shares) share /= share_divisor;
  const bool is_default = std::equal(shares.begin(), shares.end(), blocks.begin(), blocks.end(),
                                     [&](std::uint32_t share, const AttributeBlock& block) {
                                       return share == block.sensitivity / sensitivity_divisor;
                                     });
  if (is_default) shares.clear();
  return shares;
}

void make_canonical(LaplaceSpec& spec, const Arrangement& arrangement) {
  const auto* literals = std::get_if<Literals>(&arrangement.kind());
  if (spec.shares.empty() || literals == nullptr) return;
  spec.shares = canonical_shares(std::move(spec.shares), literals->blocks());
}

// Brings the attributes and odds of a group into canonical form. Drops a list of all attributes. Divides odds by their
// greatest common divisor. Drops odds that are equal, or that leave no choice. An invalid GroupWeight stays invalid.
void make_canonical(GroupWeight& group, std::size_t of_schema) {
  std::uint32_t divisor = 0;
  for (const std::uint32_t odds : group.odds) divisor = std::gcd(divisor, odds);
  if (divisor > 1) {
    for (std::uint32_t& odds : group.odds) odds /= divisor;
  }
  const std::size_t asked = group.attributes.empty() ? of_schema : group.attributes.size();
  const bool equal = std::all_of(group.odds.begin(), group.odds.end(), [](std::uint32_t odds) { return odds == 1; });
  const bool no_choice = group.size == asked && divisor > 0;
  if (group.odds.size() == asked && (equal || no_choice)) group.odds.clear();
  if (group.attributes.size() == of_schema) {
    std::vector<std::uint32_t> all(of_schema);
    std::iota(all.begin(), all.end(), 0U);
    if (group.attributes == all) group.attributes.clear();
  }
}

void divide_by_common_divisor(std::vector<std::uint32_t>& weights) {
  std::uint32_t divisor = 0;
  for (const std::uint32_t weight : weights) divisor = std::gcd(divisor, weight);
  if (divisor < 2) return;
  for (std::uint32_t& weight : weights) weight /= divisor;
}

void make_canonical(std::vector<QuestionSpec>& questions, std::size_t of_schema) {
  for (QuestionSpec& of_one : questions) {
    if (auto* levels = std::get_if<LevelQuestions>(&of_one)) divide_by_common_divisor(levels->weights);
    if (auto* circle = std::get_if<CircleQuestions>(&of_one)) divide_by_common_divisor(circle->weights);
  }
  const bool are_default = std::all_of(questions.begin(), questions.end(),
                                       [](const QuestionSpec& of_one) { return of_one == QuestionSpec(); });
  if (are_default && questions.size() == of_schema) questions.clear();
}

// Drops the list of cells if each stretch is a cell of its own.
void make_canonical(std::vector<Cuts>& cuts) {
  for (Cuts& of_one : cuts) {
    std::vector<std::uint32_t> own(of_one.cells.size());
    std::iota(own.begin(), own.end(), 0U);
    if (of_one.cells == own && own.size() == of_one.starts.size() + 1) of_one.cells.clear();
  }
}

// Task::create() calls this before it makes the channel, since the order of the groups determines their numbers in
// reports.
void make_canonical(SampledSpec& spec, std::size_t of_schema) {
  make_canonical(spec.questions, of_schema);
  std::uint32_t divisor = 0;
  for (const GroupWeight& group : spec.groups) divisor = std::gcd(divisor, group.weight);
  if (divisor == 0) return;
  for (GroupWeight& group : spec.groups) {
    group.weight /= divisor;
    make_canonical(group, of_schema);
  }
  std::sort(spec.groups.begin(), spec.groups.end(), [](const GroupWeight& a, const GroupWeight& b) {
    return std::tie(a.kind, a.size, a.attributes, a.odds) < std::tie(b.kind, b.size, b.attributes, b.odds);
  });
}

// The order of the rows determines the numbers of the outputs in reports. An invalid matrix stays invalid.
void sort_rows(StrategySpec& spec, std::size_t records) {
  if (records == 0 || spec.matrix.size() % records != 0) return;
  const std::span<const std::uint32_t> all = spec.matrix;
  std::vector<std::span<const std::uint32_t>> rows;
  for (std::size_t at = 0; at < all.size(); at += records) rows.push_back(all.subspan(at, records));
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  std::vector<std::uint32_t> sorted;
  sorted.reserve(all.size());
  for (const auto& row : rows) sorted.insert(sorted.end(), row.begin(), row.end());
  spec.matrix = std::move(sorted);
}

// The order of the outputs determines their numbers in reports. An invalid matrix stays invalid.
void make_canonical(StrategySpec& spec, const Schema& asked) {
  if (spec.shifts) return sort_rows(spec, asked.universe_size().value_or(0));
  const std::size_t outputs = spec.outputs;
  if (outputs == 0 || spec.matrix.size() % outputs != 0) return;
  std::vector<std::size_t> order(outputs);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (std::size_t row = 0; row < spec.matrix.size(); row += outputs) {
      if (spec.matrix[row + a] != spec.matrix[row + b]) return spec.matrix[row + a] < spec.matrix[row + b];
    }
    return false;
  });
  std::vector<std::uint32_t> sorted;
  sorted.reserve(spec.matrix.size());
  for (std::size_t row = 0; row < spec.matrix.size(); row += outputs) {
    for (const std::size_t k : order) sorted.push_back(spec.matrix[row + k]);
  }
  spec.matrix = std::move(sorted);
}

// Checks each attribute's questions, so that a message can name the attribute. The channel finds the same faults, but
// knows attributes only by number. The channel also checks the number of elements.
Result<void> check_questions(const std::vector<QuestionSpec>& questions, const Schema& schema) {
  for (std::size_t i = 0; i < std::min(questions.size(), schema.size()); ++i) {
    const auto of_one = Questions::create(questions[i], schema[i].size());
    if (!of_one) return located("channel.questions: the questions about " + schema[i].name(), of_one.error());
  }
  return {};
}

Result<Coarsening> coarsening_of(const TaskSpec& spec) {
  if (!std::holds_alternative<CharactersSpec>(spec.arrangement)) {
    return invalid("cuts: only the arrangement `characters` takes cuts");
  }
  auto coarsening = Coarsening::create(spec.schema, spec.cuts);
  if (!coarsening) return located("cuts", coarsening.error());
  return coarsening;
}

}  // namespace

struct Task::State {
  TaskSpec spec;
  std::optional<Coarsening> coarsening;
  Arrangement arrangement;
  Channel channel;
  std::string canonical_json;
  TaskId id;
};

std::string TaskId::to_string() const { return base64url_encode(bytes); }

Result<TaskId> TaskId::parse(std::string_view text) {
  const auto decoded = base64url_decode(text);
  TaskId id{};
  if (!decoded || decoded->size() != id.bytes.size()) {
    return Error{ErrorCode::kInvalidArgument, "a task id is 32 bytes in unpadded base64url, 43 characters"};
  }
  std::copy(decoded->begin(), decoded->end(), id.bytes.begin());
  return id;
}

Result<Task> Task::create(TaskSpec spec) {
  HEARSAY_CHECK_OK(check_title(spec.title));
  HEARSAY_CHECK_OK(check_numbers(spec));
  std::optional<Coarsening> coarsening;
  if (!spec.cuts.empty()) {
    make_canonical(spec.cuts);
    HEARSAY_TRY(coarsening, coarsening_of(spec));
  }
  const Schema& asked = coarsening ? coarsening->schema() : spec.schema;
  if (auto* vectors = std::get_if<ExplicitSpec>(&spec.arrangement)) make_canonical(*vectors);
  auto arrangement = Arrangement::create(spec.arrangement, asked);
  if (!arrangement) return located("arrangement", arrangement.error());
  if (auto* sampled = std::get_if<SampledSpec>(&spec.channel)) {
    make_canonical(*sampled, spec.schema.size());
    HEARSAY_CHECK_OK(check_questions(sampled->questions, asked));
  }
  if (auto* strategy = std::get_if<StrategySpec>(&spec.channel)) make_canonical(*strategy, asked);
  auto channel = Channel::create(spec.channel, *arrangement, spec.epsilon);
  if (!channel) return located("channel", channel.error());
  if (auto* laplace = std::get_if<LaplaceSpec>(&spec.channel)) make_canonical(*laplace, *arrangement);

  std::string canonical = spec_to_json(spec).dump();
  if (canonical.size() > kMaxJsonBytes) {
    return Error{ErrorCode::kLimitExceeded,
                 "the task document is longer than " + std::to_string(kMaxJsonBytes) + " bytes"};
  }
  const TaskId id{
      sha256().digest({reinterpret_cast<const std::uint8_t*>(canonical.data()), canonical.size()})};  // NOLINT
  return Task(std::make_shared<const State>(State{std::move(spec), std::move(coarsening), *std::move(arrangement),
                                                  *std::move(channel), std::move(canonical), id}));
}

Result<Task> Task::parse(std::string_view json) {
  HEARSAY_TRY(const Json document, parse_json(json, {.max_bytes = kMaxJsonBytes, .max_depth = kMaxJsonDepth}));
  HEARSAY_TRY(TaskSpec spec, spec_from_json(document));
  return create(std::move(spec));
}

const TaskId& Task::id() const { return state_->id; }
const std::string& Task::canonical_json() const { return state_->canonical_json; }
const TaskSpec& Task::spec() const { return state_->spec; }
const Schema& Task::asked_schema() const {
  return state_->coarsening ? state_->coarsening->schema() : state_->spec.schema;
}
const Coarsening* Task::coarsening() const { return state_->coarsening ? &*state_->coarsening : nullptr; }
const Arrangement& Task::arrangement() const { return state_->arrangement; }
const Channel& Task::channel() const { return state_->channel; }

}  // namespace hearsay
