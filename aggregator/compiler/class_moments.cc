#include "aggregator/compiler/class_moments.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "common/base/try.h"

namespace hearsay::compiler {
namespace {

constexpr std::uint64_t kMaxMomentSteps =
    // The most steps for exact covariances, and for the moments of all attributes in a sample of records.
    std::uint64_t{1} << 29U;

class Builder {
 public:
  Builder(const ClassLaws& laws, const Schema& schema, const Literals& literals) : schema_(schema) {
    for (const AttributeLaw& law : laws) {
      const AttributeBlock& block = literals.blocks()[law.attribute];
      result_.attributes.push_back(law.attribute);
      first_.push_back(result_.coordinates.size());
      for (std::size_t j = 0; j < block.size; ++j) {
        result_.coordinates.push_back(static_cast<std::uint32_t>(block.offset + j));
      }
      for (std::size_t b = 0; b < 2; ++b) {
        const auto means = coordinate_means(schema[law.attribute].kind(), law.probability[b]);
        result_.mean[b].insert(result_.mean[b].end(), means.begin(), means.end());
      }
    }
    first_.push_back(result_.coordinates.size());
    for (std::size_t b = 0; b < 2; ++b) {
      result_.covariance[b].assign(size() * size(), 0);
      for (std::size_t axis = 0; axis < axes(); ++axis) fill_block(b, axis);
    }
  }

  std::size_t axes() const { return result_.attributes.size(); }
  std::size_t size() const { return result_.coordinates.size(); }
  std::size_t first(std::size_t axis) const { return first_[axis]; }
  const Attribute& attribute(std::size_t axis) const { return schema_[result_.attributes[axis]]; }
  double mean(std::size_t b, std::size_t i) const { return result_.mean[b][i]; }
  double variance(std::size_t b, std::size_t i) const { return result_.covariance[b][i * size() + i]; }
  void set(std::size_t b, std::size_t i, std::size_t j, double covariance) {
    result_.covariance[b][i * size() + j] = result_.covariance[b][j * size() + i] = covariance;
  }
  // An attribute without a law does not matter to the query, and is uniform.
  void replace_means(const ClassLaws& laws) {
    auto law = laws.begin();
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      const bool matters = law != laws.end() && law->attribute == result_.attributes[axis];
      const std::vector<double> uniform(attribute(axis).size(), 1.0 / attribute(axis).size());
      for (std::size_t b = 0; b < 2; ++b) {
        const auto means = coordinate_means(attribute(axis).kind(), matters ? law->probability[b] : uniform);
        std::copy(means.begin(), means.end(), result_.mean[b].begin() + static_cast<std::ptrdiff_t>(first_[axis]));
      }
      if (matters) ++law;
    }
  }
  ClassMoments take(std::array<std::uint32_t, 2> members) && {
    result_.members = members;
    result_.of_query = result_.coordinates;
    return std::move(result_);
  }

  std::uint64_t cross_pairs() const {
    std::uint64_t pairs = size() * size();
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      pairs -= (first_[axis + 1] - first_[axis]) * (first_[axis + 1] - first_[axis]);
    }
    return pairs / 2;
  }

 private:
  void fill_block(std::size_t b, std::size_t axis) {
    for (std::size_t i = first_[axis]; i < first_[axis + 1]; ++i) {
      for (std::size_t j = i; j < first_[axis + 1]; ++j) {
        set(b, i, j, literal_covariance(attribute(axis).kind(), mean(b, i), mean(b, j), i == j));
      }
    }
  }

  const Schema& schema_;
  ClassMoments result_;
  // For each attribute, the position of its first coordinate. The last element is the number of all coordinates.
  std::vector<std::size_t> first_;
};

std::uint64_t cost_of_moments(const Study& study, const Schema& schema, const std::vector<Cells>& cells) {
  if (const auto* list = std::get_if<PredicateList>(&study.form)) {
    std::uint64_t values = 0;
    for (const auto& item : list->items) values += schema[item.predicate.attribute].size() + 8;
    return 8 * values;
  }
  const auto* sum = std::get_if<PredicateThreshold>(&study.form);
  if (sum != nullptr && std::holds_alternative<ThresholdLaws>(*study.model)) {
    std::uint64_t values = 0;
    for (const auto& term : sum->terms) values += term.weight.size();
    return ThresholdLaws::kStepsPerMoments * values * (std::min(sum->bound, sum->largest_sum() - sum->bound + 1) + 1);
  }
  return saturated_product(Enumeration::kStepsPerCombination, TruthTable::combinations(cells));
}

// Fills in covariances by polarisation: 2·Cov[a_i, a_j] = Var[a_i + a_j] - Var a_i - Var a_j.
Result<void> fill_exactly(const Model& model, Builder& builder, Work& work) {
  std::vector<AttributeScore> unit;  // for each coordinate j: a_j for each value of its attribute
  for (std::size_t axis = 0; axis < builder.axes(); ++axis) {
    std::vector<double> weights(builder.first(axis + 1) - builder.first(axis), 0);
    for (double& weight : weights) {
      weight = 1;
      unit.push_back({0, value_scores(builder.attribute(axis).kind(), weights)});
      weight = 0;
    }
  }
  HEARSAY_TRY(const ClassLaws class_laws, laws(model, work));
  for (std::size_t right = 1; right < builder.axes(); ++right) {
    for (std::size_t left = 0; left < right; ++left) {
      std::vector<AttributeScore> scores{{class_laws[left].attribute, {}}, {class_laws[right].attribute, {}}};
      for (std::size_t i = builder.first(left); i < builder.first(left + 1); ++i) {
        scores[0].score = unit[i].score;
        for (std::size_t j = builder.first(right); j < builder.first(right + 1); ++j) {
          scores[1].score = unit[j].score;
          HEARSAY_TRY(const ScoreMoments sum, moments(model, scores, work));
          for (std::size_t b = 0; b < 2; ++b) {
            builder.set(b, i, j, (sum.variance[b] - builder.variance(b, i) - builder.variance(b, j)) / 2);
          }
        }
      }
    }
  }
  return {};
}

// One row for each coordinate of an attribute. A row holds the coordinate's average within each cell.
using CellMeans = std::vector<std::vector<double>>;

CellMeans cell_means(const Attribute& attribute, const Cells& cells, std::size_t coordinates) {
  CellMeans means;
  std::vector<double> weights(coordinates, 0);
  for (double& weight : weights) {
    weight = 1;
    const std::vector<double> scores = value_scores(attribute.kind(), weights);
    weight = 0;
    std::vector<double> of_cell(cells.size.size(), 0);
    for (std::size_t v = 0; v < scores.size(); ++v)
      of_cell[cells.cell_of[v]] += scores[v] / cells.size[cells.cell_of[v]];
    means.push_back(std::move(of_cell));
  }
  return means;
}

// Counts how often two cells of different attributes occur together within each class. Leaves out the first cell of
// each axis, since its counts follow from the counts of the other cells.
class JointCounts {
 public:
  explicit JointCounts(const std::vector<Cells>& axes) : axes_(axes), laws_(axes) {
    for (const Cells& axis : axes) {
      first_.push_back(cells_);
      cells_ += axis.size.size() - 1;
    }
    for (auto& together : together_) together.resize(cells_ * cells_);
  }

  void add(const RecordBlock& block, const ClassWords& classes) {
    laws_.add(block, classes);
    for (std::size_t right = 1; right < axes_.size(); ++right) {
      for (std::size_t left = 0; left < right; ++left) {
        if (block.is_pair(left) && block.is_pair(right)) {
          const std::uint64_t both = block.second(left) & block.second(right);
          for (std::size_t b = 0; b < 2; ++b) {
            at(b, left, 1, right, 1) += static_cast<std::uint32_t>(std::popcount(both & classes[b]));
          }
        } else {
          add_cells(block, classes, left, right);
        }
      }
    }
  }
  static std::uint64_t steps(const std::vector<Cells>& axes) {
    std::uint64_t pairs = 0;
    for (const Cells& axis : axes) pairs += axis.size.size() == 2 ? 1 : 0;
    const std::uint64_t others = axes.size() - pairs;
    return kStepsPerPair * (pairs * pairs / 2 + RecordBlock::kRecords * others * (pairs + others / 2)) +
           kStepsPerPair * RecordBlock::kRecords * others;
  }

  const std::vector<Cells>& axes() const { return axes_; }
  const LawAverages& averages() const { return laws_; }
  // Returns the covariance, within class b, of the indicators of cell u of the left axis and cell v of the right axis.
  // The left axis has the lower number. Neither cell is the first of its axis.
  double covariance(std::size_t b, std::size_t left, std::size_t u, std::size_t right, std::size_t v) const {
    const std::uint32_t count = together_[b][(first_[right] + v - 1) * cells_ + first_[left] + u - 1];
    return static_cast<double>(count) / laws_.members()[b] - laws_.share(b, left, u) * laws_.share(b, right, v);
  }

 private:
  static constexpr std::uint64_t kStepsPerPair = 8;

  std::uint32_t& at(std::size_t b, std::size_t left, std::size_t u, std::size_t right, std::size_t v) {
    return together_[b][(first_[right] + v - 1) * cells_ + first_[left] + u - 1];
  }
  void add_cells(const RecordBlock& block, const ClassWords& classes, std::size_t left, std::size_t right) {
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::uint64_t rest = classes[b]; rest != 0; rest &= rest - 1) {
        const auto r = static_cast<std::uint32_t>(std::countr_zero(rest));
        const std::uint32_t u = block.cell(left, r);
        const std::uint32_t v = block.cell(right, r);
        if (u != 0 && v != 0) ++at(b, left, u, right, v);
      }
    }
  }

  const std::vector<Cells>& axes_;
  LawAverages laws_;
  // The cells of all axes are numbered one after the other, without the first cell of each axis. Element i is the
  // number of axis i's second cell.
  std::vector<std::size_t> first_;
  std::size_t cells_ = 0;
  std::array<std::vector<std::uint32_t>, 2> together_;  // counts, by the right axis's cell and the left axis's cell
};

// Fills in Cov[a_i, a_j | class b] for the coordinates i of the left attribute and j of the right attribute. Within
// cells all attributes are independent and uniform, so only a coordinate's mean in each cell matters. Subtracting the
// mean in the first cell does not change a covariance, and lets `counts` leave this cell out.
void fill_pair(const JointCounts& counts, std::size_t b, std::size_t left, std::size_t right,
               const std::vector<CellMeans>& means, Builder& builder, Work& work) {
  const std::size_t left_cells = counts.axes()[left].size.size();
  const std::size_t right_cells = counts.axes()[right].size.size();
  for (std::size_t i = 0; i < means[left].size(); ++i) {
    work.spend(right_cells * (left_cells + means[right].size()));
    const std::vector<double>& of_left = means[left][i];
    std::vector<double> folded(right_cells, 0);  // Cov[a_i, indicator of v]
    for (std::size_t u = 1; u < left_cells; ++u) {
      const double weight = of_left[u] - of_left[0];
      for (std::size_t v = 1; v < right_cells && weight != 0; ++v) {
        folded[v] += weight * counts.covariance(b, left, u, right, v);
      }
    }
    for (std::size_t j = 0; j < means[right].size(); ++j) {
      const std::vector<double>& of_right = means[right][j];
      double covariance = 0;
      for (std::size_t v = 1; v < right_cells; ++v) covariance += (of_right[v] - of_right[0]) * folded[v];
      builder.set(b, builder.first(left) + i, builder.first(right) + j, covariance);
    }
  }
}

Builder built_from(const JointCounts& counts, const Schema& schema, const Literals& literals, Work& work) {
  Builder builder(counts.averages().laws(), schema, literals);
  std::vector<CellMeans> means;
  for (std::size_t axis = 0; axis < builder.axes(); ++axis) {
    const std::size_t coordinates = builder.first(axis + 1) - builder.first(axis);
    means.push_back(cell_means(builder.attribute(axis), counts.axes()[axis], coordinates));
  }
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t right = 1; right < builder.axes(); ++right) {
      for (std::size_t left = 0; left < right; ++left) fill_pair(counts, b, left, right, means, builder, work);
    }
  }
  return builder;
}

Result<void> check_size(std::size_t coordinates) {
  if (coordinates <= kMaxMomentCoordinates) return {};
  return Error{ErrorCode::kLimitExceeded, "the query depends on " + std::to_string(coordinates) +
                                              " coordinates: covariances are computed for at most " +
                                              std::to_string(kMaxMomentCoordinates)};
}

std::size_t coordinates_of(const std::vector<Cells>& axes, const Literals& literals) {
  std::size_t sum = 0;
  for (const Cells& axis : axes) sum += literals.blocks()[axis.attribute].size;
  return sum;
}

Result<JointCounts> sampled_counts(const Sample& sample, Work& work) {
  JointCounts counts(sample.axes());
  const std::uint64_t steps = JointCounts::steps(sample.axes());
  const auto add = [&](const RecordBlock& block, const ClassWords& classes) { counts.add(block, classes); };
  HEARSAY_CHECK_OK(sample.draw(add, steps, work));
  return counts;
}

Result<ClassMoments> moments_of(const RecordSample& sample, const std::vector<std::uint32_t>& of_query,
                                const Schema& schema, const Literals& literals, Work& work) {
  std::vector<std::uint32_t> attributes(schema.size());
  std::iota(attributes.begin(), attributes.end(), 0U);
  std::vector<Cells> cells = single_value_cells(attributes, schema);
  if (literals.dimension() > kMaxMomentCoordinates || JointCounts::steps(cells) > kMaxMomentSteps / sample.blocks()) {
    cells = single_value_cells(of_query, schema);
  }
  HEARSAY_CHECK_OK(check_size(coordinates_of(cells, literals)));
  const std::uint64_t steps = JointCounts::steps(cells);
  JointCounts counts(cells);
  const auto add = [&](const RecordBlock& block, const ClassWords& classes) {
    work.spend(steps);
    counts.add(block, classes);
  };
  sample.visit_all(cells, add, steps, work);
  ClassMoments result = built_from(counts, schema, literals, work).take(counts.averages().members());
  result.of_query.clear();
  for (const std::uint32_t attribute : of_query) {
    const AttributeBlock& block = literals.blocks()[attribute];
    for (std::size_t j = 0; j < block.size; ++j) {
      result.of_query.push_back(static_cast<std::uint32_t>(block.offset + j));
    }
  }
  return result;
}

}  // namespace

double literal_covariance(AttributeKind kind, double mean_i, double mean_j, bool same) {
  if (same) return 1 - mean_i * mean_j;
  return kind == AttributeKind::kCategorical ? -(1 + mean_i) * (1 + mean_j) : (1 + mean_j) * (1 - mean_i);
}

Result<ClassMoments> class_moments(const Study& study, const Schema& schema, const Literals& literals, Work& work) {
  if (!study.model || std::holds_alternative<Predicate>(study.form)) {
    return Error{ErrorCode::kInvalidArgument,
                 "the query depends on one attribute at most: its answer is right for every population"};
  }
  if (const auto* sample = std::get_if<RecordSample>(&*study.model)) {
    return moments_of(*sample, attributes_of(study, schema, work), schema, literals, work);
  }
  const std::vector<Cells> cells = distinguished_cells(study.query, schema, work);
  HEARSAY_CHECK_OK(check_size(coordinates_of(cells, literals)));
  if (const auto* sample = std::get_if<Sample>(&*study.model)) {
    HEARSAY_TRY(const JointCounts counts, sampled_counts(*sample, work));
    return built_from(counts, schema, literals, work).take(counts.averages().members());
  }
  HEARSAY_TRY(const ClassLaws class_laws, laws(*study.model, work));
  Builder builder(class_laws, schema, literals);
  const std::uint64_t steps = cost_of_moments(study, schema, cells);
  if (builder.cross_pairs() <= kMaxMomentSteps / steps) {
    work.foresee({builder.cross_pairs() * steps, 0}, "ask about fewer attributes");
    HEARSAY_CHECK_OK(fill_exactly(*study.model, builder, work));
    return std::move(builder).take({0, 0});
  }
  // All covariances come from one sample, so together they are the covariances of one distribution. The means stay
  // exact.
  const Sample sample(study.query, schema, study.key, work);
  HEARSAY_TRY(const JointCounts counts, sampled_counts(sample, work));
  Builder sampled = built_from(counts, schema, literals, work);
  sampled.replace_means(class_laws);
  return std::move(sampled).take({0, 0});
}

}  // namespace hearsay::compiler
