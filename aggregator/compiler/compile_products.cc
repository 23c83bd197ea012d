#include "aggregator/compiler/compile_products.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "aggregator/compiler/compile.h"
#include "aggregator/compiler/product_form.h"
#include "aggregator/compiler/question_law.h"
#include "aggregator/compiler/relevant_table.h"
#include "common/base/try.h"
#include "common/channel/questions.h"
#include "common/schema/names.h"

namespace hearsay::compiler {
namespace {

// One attribute that the query depends on. For each set of its cells in the products, finds the mean and the weights
// with [the value's cell is in the set] = mean + M·weights. M is the matrix of question_law.h.
class ProductAxis {
 public:
  ProductAxis(const Cells& cells, const Questions& questions, Work& work)
      : cells_(cells), law_(questions, work), work_(work) {}

  std::uint32_t attribute() const { return cells_.attribute; }
  std::size_t cells() const { return cells_.size.size(); }

  void note(const CellSet& set) { solutions_.try_emplace(set); }
  // After the first set, calls Work::foresee(), as if each further set took as many steps as the first.
  Result<void> solve(const Schema& schema) {
    const std::uint64_t before = work_.spent();
    std::uint64_t left = solutions_.size();
    for (auto& [set, solution] : solutions_) {
      if (left + 1 == solutions_.size()) {
        work_.foresee({saturated_product(left, work_.spent() - before), 0}, kFewerAttributes);
      }
      --left;
      HEARSAY_TRY(solution, solution_of(set, schema));
    }
    return {};
  }
  const QuestionLaw::Solution& of(const CellSet& set) const { return solutions_.at(set); }

 private:
  Result<QuestionLaw::Solution> solution_of(const CellSet& set, const Schema& schema) const {
    std::vector<double> g;
    g.reserve(cells_.cell_of.size());
    for (const std::uint32_t cell : cells_.cell_of) g.push_back(set[cell]);
    Result<QuestionLaw::Solution> solution = law_.solve(g, work_);
    if (solution) return solution;
    const std::string name = shown_name(schema[attribute()].name());
    return Error{solution.error().code, "the query tells values of " + name +
                                            " apart that the task's questions about " + name + " do not tell apart"};
  }

  const Cells& cells_;
  QuestionLaw law_;
  Work& work_;
  std::map<CellSet, QuestionLaw::Solution> solutions_;
};

std::vector<std::size_t> by_cells(const RelevantTable& table) {
  std::vector<std::size_t> axes = table.relevant;
  const auto cells = [&](std::size_t axis) { return table.truth.axes()[axis].size.size(); };
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) { return cells(a) < cells(b); });
  return axes;
}

// Returns f on the cells of the given axes. The last axis's cell changes fastest.
std::vector<std::uint8_t> on_axes(const TruthTable& truth, std::span<const std::size_t> axes, Work& work) {
  std::vector<std::size_t> from{0};  // positions in truth.table()
  for (const std::size_t axis : axes) {
    std::vector<std::size_t> next;
    const std::size_t cells = truth.axes()[axis].size.size();
    next.reserve(from.size() * cells);
    for (const std::size_t start : from) {
      work.spend(cells);
      for (std::size_t cell = 0; cell < cells; ++cell) next.push_back(start + cell * truth.stride(axis));
    }
    from = std::move(next);
  }
  std::vector<std::uint8_t> f;
  f.reserve(from.size());
  for (const std::size_t at : from) f.push_back(truth.table()[at]);
  return f;
}

struct SolvedProduct {
  const CellProduct* product;
  // Has an element for each axis, null if the product's set is all cells of the axis.
  std::vector<const QuestionLaw::Solution*> of_axis;
};

Result<std::vector<SolvedProduct>> solved_products(const ProductForm& form, std::span<ProductAxis> axes,
                                                   const Schema& schema) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (const CellProduct& product : form.products) {
      if (!product.sets[i].empty()) axes[i].note(product.sets[i]);
    }
    HEARSAY_CHECK_OK(axes[i].solve(schema));
  }
  std::vector<SolvedProduct> products;
  for (const CellProduct& product : form.products) {
    SolvedProduct& solved = products.emplace_back(SolvedProduct{&product, {}});
    for (std::size_t i = 0; i < axes.size(); ++i) {
      solved.of_axis.push_back(product.sets[i].empty() ? nullptr : &axes[i].of(product.sets[i]));
    }
  }
  return products;
}

// Returns true if the products' parts on exactly the axes in `set` add up to a function other than 0. A product's part
// is the product of g - mean over the axes in `set` and of the means over all other axes. `set` has a bit for each
// axis.
bool depends_on_set(std::span<const SolvedProduct> products, std::span<const ProductAxis> axes, std::uint32_t set,
                    Work& work) {
  constexpr double kRounding = 1e-9;
  std::vector<double> sum;
  for (const SolvedProduct& solved : products) {
    std::vector<double> part{solved.product->factor};
    for (std::size_t i = 0; i < axes.size() && !part.empty(); ++i) {
      const QuestionLaw::Solution* solution = solved.of_axis[i];
      if ((set >> i & 1U) == 0) {
        for (double& value : part) value *= solution == nullptr ? 1 : solution->mean;
        continue;
      }
      std::vector<double> next;
      for (const double value : part) {
        if (solution == nullptr) break;
        for (const std::uint8_t is_in : solved.product->sets[i]) next.push_back(value * (is_in - solution->mean));
      }
      part = std::move(next);
      work.spend(part.size());
    }
    sum.resize(std::max(sum.size(), part.size()), 0);
    for (std::size_t c = 0; c < part.size(); ++c) sum[c] += part[c];
  }
  return std::any_of(sum.begin(), sum.end(), [](double value) { return std::abs(value) > kRounding; });
}

// Returns, for each set of axes (as bits), true if the task never asks about the set. If f depends on such a set (see
// depends_on_set()), returns an error that names the smallest set on which f depends and about which the task never
// asks.
Result<std::vector<bool>> cancelled_sets(std::span<const SolvedProduct> products, std::span<const ProductAxis> axes,
                                         const Schema& schema, const SampledChannel& channel, Work& work) {
  constexpr std::uint64_t kStepsPerAskedClass = 16;
  std::vector<bool> cancelled(std::size_t{1} << axes.size(), false);
  for (int size = 1; size <= static_cast<int>(axes.size()); ++size) {
    for (std::uint32_t set = 1; set < cancelled.size(); ++set) {
      work.spend(1);
      if (std::popcount(set) != size) continue;
      std::vector<std::uint32_t> attributes;
      for (std::size_t i = 0; i < axes.size(); ++i) {
        if ((set >> i & 1U) != 0) attributes.push_back(axes[i].attribute());
      }
      std::sort(attributes.begin(), attributes.end());
      work.spend(kStepsPerAskedClass * channel.classes().size());
      if (channel.set_information(attributes) > 0) continue;
      if (depends_on_set(products, axes, set, work)) return never_asked(schema, attributes);
      cancelled[set] = true;
    }
  }
  return cancelled;
}

void by_attribute(std::vector<ProductTerm::Part>& parts) {
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.attribute < b.attribute; });
}

void add_product(const SolvedProduct& solved, std::span<const ProductAxis> axes, LinearQuery& result) {
  ProductTerm term{solved.product->factor, {}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const QuestionLaw::Solution* of = solved.of_axis[i];
    if (of != nullptr) term.parts.push_back({axes[i].attribute(), of->mean, of->weights, of->energy});
  }
  by_attribute(term.parts);
  result.terms.push_back(std::move(term));
}

// Adds a product to the result, multiplied out, with each function g written as mean + (g - mean). Leaves out the sets
// in `cancelled`.
void add_centred(const SolvedProduct& solved, std::span<const ProductAxis> axes, const std::vector<bool>& cancelled,
                 std::uint64_t bytes_per_term, LinearQuery& result, Work& work) {
  for (std::uint32_t set = 0; set < cancelled.size(); ++set) {
    work.spend(axes.size());
    if (cancelled[set]) continue;
    ProductTerm term{solved.product->factor, {}};
    bool is_here = true;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const QuestionLaw::Solution* of = solved.of_axis[i];
      const bool is_in = (set >> i & 1U) != 0;
      if (is_in && of == nullptr) is_here = false;
      if (of == nullptr) continue;
      if (!is_in) term.factor *= of->mean;
      if (is_in) term.parts.push_back({axes[i].attribute(), 0, of->weights, of->energy});
    }
    if (!is_here || term.factor == 0) continue;
    if (set == 0) {
      result.offset += term.factor;
      continue;
    }
    work.hold(bytes_per_term, kFewerAttributes);
    by_attribute(term.parts);
    result.terms.push_back(std::move(term));
  }
}

std::uint64_t bytes_per_product(std::span<const ProductAxis> axes, const Schema& schema) {
  std::uint64_t bytes = sizeof(ProductTerm) + sizeof(CellProduct) + sizeof(SolvedProduct);
  for (const ProductAxis& axis : axes) {
    bytes += 2 * schema[axis.attribute()].size() * sizeof(double) + 2 * axis.cells() + 2 * sizeof(ProductTerm::Part);
  }
  return bytes;
}

}  // namespace

Result<LinearQuery> compile_products(const Query& query, const Schema& schema, const Characters& characters,
                                     const SampledChannel& channel, Work& work) {
  constexpr std::uint64_t kBytesPerPlace =
      2 * sizeof(std::size_t) + 1;  // the memory that on_axes() takes for each place
  HEARSAY_TRY(const RelevantTable table, relevant_table(query, schema, characters, kBytesPerPlace, work));
  LinearQuery result;
  if (table.relevant.empty()) {
    result.offset = table.truth.table().front();
    return result;
  }
  const std::vector<std::size_t> order = by_cells(table);
  std::vector<ProductAxis> axes;
  std::vector<std::size_t> cells;
  for (const std::size_t axis : order) {
    const Cells& of_axis = table.truth.axes()[axis];
    axes.emplace_back(of_axis, channel.questions(of_axis.attribute), work);
    cells.push_back(of_axis.size.size());
  }
  const ProductForm form =
      product_form(on_axes(table.truth, order, work), cells, bytes_per_product(axes, schema), work);
  HEARSAY_TRY(const std::vector<SolvedProduct> products, solved_products(form, axes, schema));
  HEARSAY_TRY(const std::vector<bool> cancelled, cancelled_sets(products, axes, schema, channel, work));
  const bool all_products = std::find(cancelled.begin(), cancelled.end(), true) == cancelled.end();
  result.offset = form.offset;
  for (const SolvedProduct& solved : products) {
    if (all_products) {
      add_product(solved, axes, result);
    } else {
      add_centred(solved, axes, cancelled, bytes_per_product(axes, schema), result, work);
    }
  }
  return result;
}

}  // namespace hearsay::compiler
