#include "aggregator/estimator/sampled/sampled_view.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "aggregator/compiler/bit_cube.h"
#include "aggregator/compiler/compile.h"
#include "aggregator/estimator/sampled/wide_patterns.h"
#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

using GroupClass = SampledChannel::GroupClass;

constexpr std::uint64_t kStepsPerSet = 64;
// Steps of checking whether a class's groups cover the coordinates of a set.
constexpr std::uint64_t kStepsPerClass = 4;
constexpr std::uint64_t kBytesPerSet = sizeof(CoordinateSet) + 4 * sizeof(double);
constexpr std::uint64_t kBytesPerSlot = 5 * sizeof(double);
constexpr std::string_view kFewerAttributes = "ask about fewer attributes, or a sum or count of fewer";

Error no_reports(const SampledIndex& index, std::span<const std::uint32_t> attributes) {
  const Schema& schema = index.task().asked_schema();
  const bool characters = std::holds_alternative<Characters>(index.task().arrangement().kind());
  if (characters && !index.channel().asks(attributes)) return compiler::never_asked(schema, attributes);
  return {ErrorCode::kNoReports, "no report has asked about " + compiler::names(schema, attributes) + " yet"};
}

// Returns true if some entry whose group has several generators covers a coordinate on exactly these attributes. Reads
// the attributes' lists of parts side by side, and skips to the next entry that may be in all lists.
bool any_wide(const SampledIndex& index, std::span<const std::uint32_t> attributes, compiler::Work& work) {
  const std::span<const GroupClass> classes = index.channel().classes();
  for (std::uint32_t entry = 0;;) {
    const std::uint32_t candidate = entry;
    for (const std::uint32_t attribute : attributes) {
      work.spend(kStepsPerSet);
      const auto parts = index.parts(attribute);
      const auto at = std::ranges::lower_bound(parts, entry, {}, &SampledIndex::Part::entry);
      if (at == parts.end()) return false;
      entry = at->entry;
    }
    if (entry != candidate) continue;
    const bool covers = attributes.size() % 2 == 0 || classes[index.wide_class(entry)].kind == GroupKind::kRaw;
    if (covers) return true;
    ++entry;
  }
}

std::uint64_t steps_of(const SampledView::Pattern& pattern) {
  const std::uint64_t direct = pattern.answers.size() * pattern.terms.size();
  return 4 * std::min<std::uint64_t>(direct, std::uint64_t{pattern.width + 2} << pattern.width) +
         16 * pattern.terms.size();
}

}  // namespace

std::vector<double> character_sums(std::span<const std::uint32_t> from, std::span<const double> values,
                                   std::span<const std::uint32_t> to, std::uint32_t width) {
  std::vector<double> out(to.size(), 0);
  const std::size_t size = std::size_t{1} << width;
  if (from.size() * to.size() > size * (width + 2)) {
    std::vector<double> cube(size, 0);
    for (std::size_t i = 0; i < from.size(); ++i) cube[from[i]] += values[i];
    compiler::walsh_hadamard(cube);
    for (std::size_t k = 0; k < to.size(); ++k) out[k] = cube[to[k]];
    return out;
  }
  for (std::size_t k = 0; k < to.size(); ++k) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      out[k] += (std::popcount(from[i] & to[k]) & 1) != 0 ? -values[i] : values[i];
    }
  }
  return out;
}

class SampledViewBuilder {
 public:
  explicit SampledViewBuilder(const SampledIndex& index)
      : index_(index), channel_(index.channel()), classes_(channel_.classes()) {}

  void add_set(CoordinateSet set) {
    set.slot = view_.information_.size();
    const std::size_t slots = set.slot + set.size;
    for (auto* numbers : {&view_.information_, &view_.fourth_, &view_.sum_, &view_.singles_}) numbers->resize(slots);
    set_information_.push_back(0);
    set_fourth_.push_back(0);
    set_reports_.push_back(0);
    view_.sets_.push_back(std::move(set));
  }

  void count_singles(std::uint32_t set_number) {
    CoordinateSet& set = view_.sets_[set_number];
    for (const GroupClass& group_class : classes_) {
      if (group_class.kind != GroupKind::kSingle || group_class.size != set.attributes.size()) continue;
      const CharacterIndex::Ranks groups = channel_.groups_on(group_class, set.attributes);
      set.single_gamma = channel_.gamma(group_class);
      double reports = 0;
      for (const SampledIndex::Entry& entry : index_.entries(groups.first, groups.size)) {
        const std::size_t slot = set.slot + (entry.group - groups.first);
        const auto count = static_cast<double>(entry.count);
        count_coordinate(set_number, slot, set.single_gamma, count, entry.answer == 0 ? count : -count);
        view_.singles_[slot] += count;
        reports += count;
      }
      if (reports > 0) view_.blocks_.push_back({set.single_gamma, reports, false, {set_number}});
    }
  }

  void count_pattern(SampledView::Pattern pattern) {
    std::vector<std::uint32_t> masks;
    for (const auto& term : pattern.terms) masks.push_back(term.mask);
    const std::vector<double> sums = character_sums(pattern.answers, pattern.counts, masks, pattern.width);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      count_coordinate(pattern.terms[i].set, pattern.terms[i].slot, pattern.gamma, pattern.reports, sums[i]);
    }
    view_.patterns_.push_back(std::move(pattern));
  }

  void add_block(SampledView::Block block) { view_.blocks_.push_back(std::move(block)); }

  const SampledView& view() const { return view_; }

  Result<SampledView> finish() && {
    for (std::uint32_t s = 0; s < view_.sets_.size(); ++s) HEARSAY_CHECK_OK(normalise(s));
    for (SampledView::Block& block : view_.blocks_) {
      std::erase_if(block.sets, [&](std::uint32_t s) { return view_.sets_[s].by_coordinate; });
    }
    std::erase_if(view_.blocks_, [](const SampledView::Block& block) { return block.sets.empty(); });
    return std::move(view_);
  }

 private:
  void count_coordinate(std::uint32_t set, std::size_t slot, double gamma, double reports, double sum) {
    const double squared = gamma * gamma;
    view_.information_[slot] += squared * reports;
    view_.fourth_[slot] += squared * squared * reports;
    view_.sum_[slot] += gamma * sum;
    set_information_[set] += squared * reports;
    set_fourth_[set] += squared * squared * reports;
    set_reports_[set] += reports;
  }

  // Let T be the set's attributes, and M the number of coordinates on T. A report about T is about one of these
  // coordinates, drawn uniformly. So each coordinate expects 1/M of the reports about T. Dividing by 1/M of the set's
  // information is unbiased, whether the coordinate was drawn or not. Dividing by the information of the coordinate's
  // own reports is more accurate if these reports are many, and impossible if there are none.
  //
  // The choice must be the same for all coordinates on T. A choice for each coordinate would depend on which
  // coordinates were drawn, and so cause a bias. If the set has on average 32 + ln M reports for each coordinate, the
  // probability that some coordinate has no report is below e^-32.
  Result<void> normalise(std::uint32_t set_number) {
    CoordinateSet& set = view_.sets_[set_number];
    const auto slots = [&](std::vector<double>& numbers) { return std::span(numbers).subspan(set.slot, set.size); };
    const auto size = static_cast<double>(set.size);
    if (set_reports_[set_number] == 0) {
      return no_reports(index_, set.attributes);
    }
    const std::span<double> information = slots(view_.information_);
    set.by_coordinate = set.size == 1 || (set_reports_[set_number] >= size * (32 + std::log(size)) &&
                                          *std::min_element(information.begin(), information.end()) > 0);
    if (set.by_coordinate) return {};
    const double squared = set_information_[set_number];
    set.kappa = set_fourth_[set_number] / (squared * squared);
    std::ranges::fill(information, squared / size);
    std::ranges::fill(slots(view_.fourth_), set_fourth_[set_number] / size);
    return {};
  }

  const SampledIndex& index_;
  const SampledChannel& channel_;
  std::span<const GroupClass> classes_;
  SampledView view_;
  std::vector<double> set_information_;
  std::vector<double> set_fourth_;
  std::vector<double> set_reports_;
};

Result<void> check_asked(const SampledIndex& index, std::span<const std::uint32_t> attributes, compiler::Work& work) {
  for (const GroupClass& group_class : index.channel().classes()) {
    if (group_class.kind != GroupKind::kSingle || group_class.size != attributes.size()) continue;
    const CharacterIndex::Ranks groups = index.channel().groups_on(group_class, attributes);
    if (!index.entries(groups.first, groups.size).empty()) return {};
  }
  // Without parts, the check would have to read all entries. The view reads all entries anyway, so the check passes.
  if (!index.has_parts() || any_wide(index, attributes, work)) return {};
  return no_reports(index, attributes);
}

Result<SampledView> SampledView::of_characters(const SampledIndex& index, std::vector<std::uint32_t> attributes,
                                               std::span<const std::uint32_t> sets, compiler::Work& work) {
  const auto& characters = std::get<Characters>(index.task().arrangement().kind());
  SampledViewBuilder builder(index);
  const std::uint64_t of_classes = kStepsPerClass * index.channel().classes().size();
  for (const std::uint32_t axes : sets) {
    work.spend(kStepsPerSet + of_classes);
    CoordinateSet set;
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if ((axes >> i & 1U) != 0) set.attributes.push_back(attributes[i]);
    }
    const CharacterIndex::Ranks coordinates = characters.coordinates_on(set.attributes);
    set.first = coordinates.first;
    set.size = coordinates.size;
    set.axes = axes;
    work.hold(kBytesPerSet + 2 * sizeof(std::uint32_t) * set.attributes.size() + kBytesPerSlot * set.size,
              kFewerAttributes);
    builder.add_set(std::move(set));
    builder.count_singles(static_cast<std::uint32_t>(builder.view().sets().size() - 1));
  }
  HEARSAY_TRY(WidePatterns wide, wide_patterns(index, attributes, builder.view().sets(), work));
  for (Pattern& pattern : wide.patterns) {
    work.spend(steps_of(pattern));
    builder.count_pattern(std::move(pattern));
  }
  for (Block& block : wide.blocks) builder.add_block(std::move(block));
  return std::move(builder).finish();
}

// On `literals`, a coordinate is in one group only. All coordinates of the group are estimated from its answers.
Result<SampledView> SampledView::of_literals(const SampledIndex& index, std::span<const std::uint32_t> coordinates,
                                             compiler::Work& work) {
  const std::span<const AttributeBlock> blocks = std::get<Literals>(index.task().arrangement().kind()).blocks();
  const SampledChannel& channel = index.channel();
  SampledViewBuilder builder(index);
  std::size_t attribute = 0;
  std::map<std::uint64_t, Pattern> groups;
  std::vector<SampledChannel::Covered> covered;
  const std::uint32_t group_size = std::get<SampledSpec>(index.task().spec().channel).group_size;
  for (std::uint32_t s = 0; s < coordinates.size(); ++s) {
    work.spend(kStepsPerSet);
    const std::uint32_t j = coordinates[s];
    while (j >= blocks[attribute].offset + blocks[attribute].size) ++attribute;
    builder.add_set({.attributes = {static_cast<std::uint32_t>(attribute)}, .first = j, .slot = s});
    const std::uint64_t group = j / group_size;
    channel.covered(group, covered);
    const auto at = std::ranges::find(covered, j, &SampledChannel::Covered::coordinate);
    groups[group].terms.push_back({at->answer_mask, s, s});
  }
  for (auto& [group, pattern] : groups) {
    for (const SampledIndex::Entry& entry : index.entries(group, 1)) {
      pattern.answers.push_back(entry.answer);
      pattern.counts.push_back(static_cast<double>(entry.count));
      pattern.reports += pattern.counts.back();
    }
    const SampledChannel::GroupClass& group_class = channel.class_of(group);
    pattern.gamma = channel.gamma(group_class);
    pattern.width = group_class.width;
    work.spend(steps_of(pattern));
    builder.count_pattern(std::move(pattern));
  }
  return std::move(builder).finish();
}

}  // namespace hearsay::estimator
