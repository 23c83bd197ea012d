#include "aggregator/estimator/fit/goodness_of_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "aggregator/compiler/class_moments.h"
#include "aggregator/estimator/fit/explicit_fit.h"
#include "aggregator/estimator/fit/literal_means.h"
#include "aggregator/estimator/fit/literal_model.h"
#include "aggregator/estimator/fit/segment_fit.h"
#include "aggregator/tails/distributions.h"
#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

// The covariance depends on ω, and the estimate of ω depends on the covariance. So the fit estimates ω and the
// covariance in turn, beginning at ω = ½.
constexpr int kRounds = 3;

// Fits ω to the model's coordinates, with the covariance at the best-fitting ω. `rest` holds blocks of coordinates that
// do not depend on the query.
SegmentFit fit(const LiteralModel& model, const SegmentFit& rest, compiler::Work& work) {
  const std::vector<Eigen::Index> chosen = model.independent();
  const Eigen::VectorXd observed = model.observed()(chosen);
  const Eigen::VectorXd delta = model.delta()(chosen);
  double fraction = 0.5;
  SegmentFit result;
  for (int round = 0; round < kRounds; ++round) {
    result = rest;
    work.spend(model.size() * model.size());
    const Eigen::MatrixXd covariance = model.covariance(std::clamp(fraction, 0.0, 1.0))(chosen, chosen);
    result.add(observed, delta, covariance);
    fraction = result.fraction();
  }
  return result;
}

FitTest test_of(const SegmentFit& fit) {
  if (fit.degrees() == 0) return {1, 0, 0};
  return {tails::chi_square_upper_tail(fit.statistic(), static_cast<double>(fit.degrees())), fit.statistic(),
          fit.degrees()};
}

struct Setting {
  const Schema& schema;
  const Literals& literals;
  std::vector<LiteralMean> means;
  bool is_laplace;
};

using GroupMembers = std::vector<std::vector<std::uint32_t>>;

// Returns the groups of coordinates that reports are asked about together, so that their means depend on each other.
GroupMembers groups_of(const Setting& setting) {
  GroupMembers groups;
  for (std::uint32_t j = 0; j < setting.means.size(); ++j) {
    if (setting.means[j].reports == 0) continue;
    const bool joins = !groups.empty() && setting.means[groups.back().back()].group == setting.means[j].group;
    if (joins) {
      groups.back().push_back(j);
    } else {
      groups.push_back({j});
    }
  }
  return groups;
}

// Adds the attributes that the moments do not cover. These attributes are uniform, and independent of the query and of
// each other.
void add_uniform_attributes(const Setting& setting, const compiler::ClassMoments& moments, SegmentFit& rest) {
  for (std::uint32_t attribute = 0; attribute < setting.schema.size(); ++attribute) {
    if (std::binary_search(moments.attributes.begin(), moments.attributes.end(), attribute)) continue;
    const AttributeBlock& block = setting.literals.blocks()[attribute];
    const auto means = std::span(setting.means).subspan(block.offset, block.size);
    const Square square = uniform_square(setting.schema[attribute], means);
    rest.add(square.value, square.degrees);
  }
}

void add_uniform_group(const Setting& setting, const std::vector<std::uint32_t>& group, SegmentFit& rest,
                       compiler::Work& work) {
  constexpr std::uint64_t kStepsPerGroup = 4096;
  work.spend(kStepsPerGroup);
  const LiteralModel model(setting.schema, setting.literals, setting.means, group, nullptr);
  const std::vector<Eigen::Index> chosen = model.independent();
  rest.add(model.observed()(chosen), model.delta()(chosen), model.covariance(0.5)(chosen, chosen));
}

FitTest test(const Setting& setting, const compiler::ClassMoments& moments, std::vector<std::uint32_t> coordinates,
             const SegmentFit& rest, compiler::Work& work) {
  work.spend(coordinates.size() * coordinates.size());
  return test_of(
      fit(LiteralModel(setting.schema, setting.literals, setting.means, std::move(coordinates), &moments), rest, work));
}

FitTest test_query(const Setting& setting, const compiler::ClassMoments& moments, compiler::Work& work) {
  std::vector<std::uint32_t> coordinates;
  std::copy_if(moments.of_query.begin(), moments.of_query.end(), std::back_inserter(coordinates),
               [&](std::uint32_t j) { return setting.means[j].reports > 0; });
  return test(setting, moments, std::move(coordinates), {}, work);
}

FitTest test_all(const Setting& setting, const compiler::ClassMoments& moments, bool others_are_uniform,
                 compiler::Work& work) {
  std::vector<std::uint32_t> coordinates;  // coordinates with moments, and the other coordinates of their groups
  SegmentFit rest;
  if (!others_are_uniform) {
    if (moments.coordinates.size() < setting.means.size()) return {1, 0, 0};
    std::copy_if(moments.coordinates.begin(), moments.coordinates.end(), std::back_inserter(coordinates),
                 [&](std::uint32_t j) { return setting.means[j].reports > 0; });
  } else if (setting.is_laplace) {
    coordinates = moments.coordinates;
    add_uniform_attributes(setting, moments, rest);
  } else {
    for (const auto& group : groups_of(setting)) {
      const bool known = std::any_of(group.begin(), group.end(), [&](std::uint32_t j) {
        return std::binary_search(moments.coordinates.begin(), moments.coordinates.end(), j);
      });
      if (known) {
        coordinates.insert(coordinates.end(), group.begin(), group.end());
      } else {
        add_uniform_group(setting, group, rest, work);
      }
    }
  }
  return test(setting, moments, std::move(coordinates), rest, work);
}

}  // namespace

Result<GoodnessOfFit> goodness_of_fit(const Task& task, const compiler::CompiledQuery& query, const tally::Tally& tally,
                                      compiler::Work& work) {
  const auto* literals = std::get_if<Literals>(&task.arrangement().kind());
  const bool is_explicit = std::holds_alternative<Explicit>(task.arrangement().kind());
  if (!is_explicit && (literals == nullptr || !query.study)) {
    return Error{ErrorCode::kUnsupported,
                 "only estimates from literals and explicit vectors rest on an assumption about the reporters"};
  }
  if (tally.reports() == 0) return Error{ErrorCode::kNoReports, "there are no reports to test"};
  if (is_explicit) return compiler::stoppable([&] { return explicit_fit(task, query.truth, tally, work); });
  HEARSAY_TRY(auto means, literal_means(task, tally));
  const bool is_laplace = std::holds_alternative<LaplaceChannel>(task.channel().kind());
  const Setting setting{task.schema(), *literals, std::move(means), is_laplace};
  return compiler::stoppable([&]() -> Result<GoodnessOfFit> {
    HEARSAY_TRY(const compiler::ClassMoments moments,
                compiler::class_moments(*query.study, task.schema(), *literals, work));
    const bool others_are_uniform = !std::holds_alternative<compiler::RecordSample>(*query.study->model);
    return GoodnessOfFit{test_all(setting, moments, others_are_uniform, work), test_query(setting, moments, work)};
  });
}

std::optional<std::string> fit_warning(const GoodnessOfFit& fit) {
  constexpr double kLeastShown = 1e-99;
  if (fit.query.p >= kContradicted) return std::nullopt;
  std::array<char, 32> p{};
  std::snprintf(p.data(), p.size(), fit.query.p < kLeastShown ? "p < %.0e" : "p = %.1e",
                std::max(fit.query.p, kLeastShown));
  return "the reports contradict the average-case assumption for this query (" + std::string(p.data()) +
         "): the estimate may be biased by more than its interval says";
}

}  // namespace hearsay::estimator
