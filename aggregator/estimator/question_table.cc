// Estimates many queries at once: all products with one factor for each attribute. The factors are [x = v] for a table,
// and parities for means. Symbols are as in questions/question_view.h. Value and variance of one query need sums over
// the reports of products of scores and of squared scores. product_sums() computes these sums for all functions.

#include "aggregator/estimator/question_table.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "aggregator/estimator/questions/asked_blocks.h"
#include "aggregator/estimator/questions/function_family.h"
#include "aggregator/estimator/questions/product_sums.h"
#include "aggregator/estimator/questions/question_variance.h"
#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

// The sums that a block of reports adds to values and variances: one number for each choice of functions of the block's
// attributes. The last attribute's function changes fastest.
struct OfBlock {
  std::vector<double> sum;
  std::vector<double> squares;  // unused for kind kSingle
  std::vector<double> diagonal;
};

// Returns 1/I_T for each set T, or 0 if no product needs T. Errors: kNoReports.
Result<std::vector<double>> inverse_information(const QuestionIndex& index, const FunctionFamilies& families,
                                                std::span<const AskedBlock> blocks, compiler::Work& work) {
  std::vector<double> information(std::size_t{1} << families.size(), 0);
  for (const AskedBlock& block : blocks) {
    for_each_covered(index.channel(), block, work,
                     [&](AxisSet axes) { information[axes] += block.gamma * block.gamma * block.reports; });
  }
  // Starts with the set of all attributes. Usually the fewest reports ask about this set, so the loop finds missing
  // reports early.
  for (AxisSet axes = information.size() - 1; axes > 0; --axes) {
    if (!families.needs(axes)) {
      information[axes] = 0;
      continue;
    }
    if (information[axes] == 0) return none_asked(index, attributes_of(families.attributes(), axes));
    information[axes] = 1 / information[axes];
  }
  return information;
}

class BlockTable {
 public:
  BlockTable(const QuestionIndex& index, const FunctionFamilies& families, std::span<const double> inverse,
             compiler::Work& work)
      : index_(index), families_(families), inverse_(inverse), work_(work) {}

  OfBlock of(const AskedBlock& block) {
    axes_.clear();
    for (AxisSet rest = block.axes; rest != 0; rest &= rest - 1) {
      axes_.push_back(static_cast<std::size_t>(std::countr_zero(rest)));
    }
    a_.assign(std::size_t{1} << axes_.size(), 0);
    for (std::size_t subset = 1; subset < a_.size(); ++subset) {
      AxisSet axes = 0;
      for (std::size_t i = 0; i < axes_.size(); ++i) axes |= AxisSet{subset >> i & 1U} << axes_[i];
      if (covers(index_.channel(), block, axes)) a_[subset] = block.gamma * inverse_[axes];
    }
    return block.single ? of_single(block) : of_wide(block);
  }

 private:
  // Takes product_sums() of κ (see aggregator/compiler/question_law.h), one number for each value, and multiplies these
  // sums by the functions' weights afterwards.
  OfBlock of_single(const AskedBlock& block) {
    OfBlock result;
    result.sum = product_sums(index_, block, families_.attributes(), families_.value_functions(), work_);
    families_.weigh(axes_, result.sum, work_);
    for (double& sum : result.sum) sum *= a_.back();
    add_diagonal(result);
    return result;
  }

  // Computes Σφ and Σφ² from the sums of the products of 1, t and t².
  OfBlock of_wide(const AskedBlock& block) {
    const std::vector<double> sums =
        product_sums(index_, block, families_.attributes(), families_.score_functions(), work_);
    OfBlock result;
    add_diagonal(result);
    result.sum.assign(result.diagonal.size(), 0);
    result.squares.assign(result.diagonal.size(), 0);
    const std::vector<double> pairs = pair_coefficients();
    std::vector<std::size_t> function(axes_.size());
    for (std::size_t cell = 0; cell < result.sum.size(); ++cell) {
      split(cell, function);
      work_.spend(std::min<std::uint64_t>(pairs.size() * axes_.size(), std::uint64_t{1} << 20U));
      for (std::size_t powers = 1; powers < pairs.size(); ++powers) {
        // `powers` is a number in base 3: digit i is the power of the i-th attribute's score, 0, 1 or 2.
        std::size_t subset = 0;
        std::size_t at = 0;
        double of_sum = 1;
        double of_squares = pairs[powers];
        std::size_t rest = powers;
        bool linear = true;
        for (std::size_t i = 0; i < axes_.size(); ++i, rest /= 3) {
          const std::size_t power = rest % 3;
          const std::size_t count = families_.count(axes_[i]);
          const double mean = families_.mean(axes_[i], function[i]);
          at = at * (2 * count + 1) + (power == 0 ? 0 : 1 + (power - 1) * count + function[i]);
          if (power == 0) of_sum *= mean;
          if (power == 1) subset |= std::size_t{1} << i;
          linear = linear && power < 2;
          for (std::size_t p = power; p < 2; ++p) of_squares *= mean;
        }
        if (linear) result.sum[cell] += a_[subset] * of_sum * sums[at];
        result.squares[cell] += of_squares * sums[at];
      }
    }
    return result;
  }

  // Returns the coefficients of φ², for each combination of powers of the scores: sums of a_T·a_T' over pairs of sets.
  std::vector<double> pair_coefficients() const {
    std::size_t size = 1;
    std::vector<std::size_t> place;
    for (std::size_t i = 0; i < axes_.size(); ++i, size *= 3) place.push_back(size);
    std::vector<double> pairs(size, 0);
    for (std::size_t first = 1; first < a_.size(); ++first) {
      for (std::size_t second = 1; second < a_.size(); ++second) {
        std::size_t powers = 0;
        for (std::size_t i = 0; i < axes_.size(); ++i) powers += ((first >> i & 1U) + (second >> i & 1U)) * place[i];
        pairs[powers] += a_[first] * a_[second];
      }
    }
    return pairs;
  }

  // The diagonal is D = Σ_T a_T²·Π_{i∈T} energy_i·Π_{i∉T} mean_i².
  void add_diagonal(OfBlock& result) {
    std::size_t cells = 1;
    for (const std::size_t axis : axes_) cells *= families_.count(axis);
    result.diagonal.assign(cells, 0);
    std::vector<std::size_t> function(axes_.size());
    for (std::size_t cell = 0; cell < cells; ++cell) {
      split(cell, function);
      work_.spend(std::min<std::uint64_t>(a_.size() * axes_.size(), std::uint64_t{1} << 20U));
      for (std::size_t subset = 1; subset < a_.size(); ++subset) {
        double product = a_[subset] * a_[subset];
        for (std::size_t i = 0; i < axes_.size() && product > 0; ++i) {
          const double mean = families_.mean(axes_[i], function[i]);
          product *= (subset >> i & 1U) != 0 ? families_.energy(axes_[i], function[i]) : mean * mean;
        }
        result.diagonal[cell] += product;
      }
    }
  }

  void split(std::size_t cell, std::span<std::size_t> function) const {
    for (std::size_t i = axes_.size(); i-- > 0;) {
      function[i] = cell % families_.count(axes_[i]);
      cell /= families_.count(axes_[i]);
    }
  }

  const QuestionIndex& index_;
  const FunctionFamilies& families_;
  std::span<const double> inverse_;
  compiler::Work& work_;
  std::vector<std::size_t> axes_;
  // a_T = γ/I_T for each set T of these axes.
  std::vector<double> a_;
};

// Returns values and variances of all products. For shown_variance(), see QuestionVariance::total().
template <class ShownVariance>
Result<TableNumbers> all_products(const QuestionIndex& index, const FunctionFamilies& families, compiler::Work& work,
                                  const ShownVariance& shown_variance) {
  const std::vector<AskedBlock> blocks = asked_blocks(index, families.attributes(), work);
  HEARSAY_TRY(const std::vector<double> inverse, inverse_information(index, families, blocks, work));
  std::uint64_t cells = 1;
  for (std::size_t axis = 0; axis < families.size(); ++axis) {
    cells = compiler::saturated_product(cells, families.count(axis));
  }
  work.foresee({0, compiler::saturated_product(cells, 2 * sizeof(double) + sizeof(QuestionVariance))},
               "ask for a table of fewer attributes");
  TableNumbers table{std::vector<double>(cells, 1), {}};
  std::vector<QuestionVariance> variances(cells);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::size_t rest = cell;
    for (std::size_t axis = families.size(); axis-- > 0; rest /= families.count(axis)) {
      table.values[cell] *= families.mean(axis, rest % families.count(axis));
    }
  }
  BlockTable block_table(index, families, inverse, work);
  for (const AskedBlock& block : blocks) {
    const OfBlock of = block_table.of(block);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      work.spend(16 * families.size());
      std::size_t rest = cell;
      std::size_t at = 0;
      std::size_t stride = 1;
      double scale = 1;
      for (std::size_t axis = families.size(); axis-- > 0; rest /= families.count(axis)) {
        const std::size_t function = rest % families.count(axis);
        if ((block.axes >> axis & 1U) == 0) {
          scale *= families.mean(axis, function);
          continue;
        }
        at += function * stride;
        stride *= families.count(axis);
      }
      table.values[cell] += scale * of.sum[at];
      variances[cell].add(
          {block.reports, of.sum[at], block.single ? 0 : of.squares[at], of.diagonal[at], block.gamma, block.single},
          scale);
    }
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    table.variances.push_back(
        variances[cell].total(shown_variance(table.values[cell]), static_cast<double>(index.reports())));
  }
  return table;
}

Result<void> check_count(std::span<const std::uint32_t> attributes) {
  constexpr std::size_t kMost = 12;
  if (attributes.size() <= kMost) return {};
  return Error{ErrorCode::kLimitExceeded, "the table has " + std::to_string(attributes.size()) +
                                              " attributes; for a task of this kind, a table has at most " +
                                              std::to_string(kMost) + ": ask for smaller tables"};
}

}  // namespace

Result<TableNumbers> question_table(const QuestionIndex& index, std::span<const std::uint32_t> attributes,
                                    compiler::Work& work) {
  HEARSAY_CHECK_OK(check_count(attributes));
  HEARSAY_TRY(const FunctionFamilies families, FunctionFamilies::indicators(index, attributes, work));
  return all_products(index, families, work, [](double value) { return value * (1 - value); });
}

Result<CoordinateMeans> question_means(const QuestionIndex& index, std::span<const std::uint32_t> attributes,
                                       compiler::Work& work) {
  HEARSAY_CHECK_OK(check_count(attributes));
  HEARSAY_TRY(const FunctionFamilies families, FunctionFamilies::parities(index, attributes, work));
  HEARSAY_TRY(const TableNumbers all, all_products(index, families, work, [](double mean) { return 1 - mean * mean; }));
  const auto& characters = std::get<Characters>(index.task().arrangement().kind());
  const CharacterIndex::Ranks on = characters.coordinates_on(attributes);
  CoordinateMeans means{static_cast<std::uint32_t>(on.first), {}, {}};
  for (std::uint64_t j = on.first; j < on.first + on.size; ++j) {
    std::size_t at = 0;
    const std::vector<Factor> factors = characters.factors(static_cast<std::uint32_t>(j));
    for (std::size_t axis = 0; axis < factors.size(); ++axis) {
      at = at * families.count(axis) + factors[axis].mask - 1;
    }
    means.means.push_back(all.values[at]);
    means.variances.push_back(all.variances[at]);
  }
  return means;
}

}  // namespace hearsay::estimator
