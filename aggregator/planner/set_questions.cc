#include "aggregator/planner/set_questions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "aggregator/planner/class_products.h"
#include "aggregator/planner/set_groups.h"
#include "aggregator/planner/set_weights.h"
#include "common/channel/sampled.h"

namespace hearsay::planner {
namespace {

constexpr std::uint32_t kMostCircleValues = 128;
constexpr double kMostWork = 5e8;  // the limit on multiplications for comparing questions

CircleQuestions all_arcs(std::uint32_t values, std::uint32_t bits) {
  CircleQuestions circle{values, bits, {}, {}};
  for (std::uint32_t j = 1; j <= values / 2; ++j) {
    circle.multipliers.push_back(j);
    circle.weights.push_back(static_cast<std::uint32_t>(std::lround(1e6 / std::pow(j, 1.3))));
  }
  return circle;
}

class QuestionSearch {
 public:
  QuestionSearch(const TaskSpec& base, const Workload& workload, std::vector<WeightedProduct> products)
      : base_(base), order_(order_of(workload)), epsilon_(base.epsilon.approximate()) {
    problem_.products = std::move(products);
    problem_.alike = asked_alike(workload, base.schema);
    for (const WeightedProduct& product : problem_.products) {
      for (const ProductFunction::Part& part : product.function.parts) asked_.insert(problem_.alike[part.attribute]);
    }
  }

  void add_known(const std::vector<SampledSpec>& specs) {
    for (const SampledSpec& spec : specs) {
      std::vector<QuestionSpec> questions = spec.questions;
      if (questions.empty()) questions.assign(base_.schema.size(), ParityQuestions{});
      known_.push_back(std::move(questions));
    }
  }

  std::vector<SampledSpec> best() {
    for (const auto& questions : known_) attempt(questions);
    for (std::uint32_t bits = 1; bits <= most_bits(); ++bits) attempt(with_bits(bits));
    if (!best_) return {};
    improve();
    problem_.questions = *best_;
    problem_.groups = groups_for(base_.schema, problem_, epsilon_);
    std::vector<SampledSpec> specs;
    for (const Against against : {Against::kPopulation, Against::kReporters}) {
      Result<WeightedSets> weighted = best_set_weights(base_, order_, problem_, against);
      if (weighted) specs.push_back(std::move(weighted->spec));
    }
    return specs;
  }

 private:
  std::uint32_t most_bits() const { return static_cast<std::uint32_t>(epsilon_ / std::log(2.0)) + 1; }

  // Returns a question about an attribute. The answer has `bits` bits, or fewer if the attribute's values have fewer
  // bits.
  QuestionSpec question(std::uint32_t attribute, std::uint32_t bits) const {
    const Attribute& of = base_.schema[attribute];
    const auto value_bits = static_cast<std::uint32_t>(std::bit_width(of.size() - 1));
    const bool on_circle = of.kind() == AttributeKind::kRange && of.size() >= 4 && of.size() <= kMostCircleValues;
    if (bits < value_bits && on_circle) return all_arcs(of.size(), bits);
    return ParityQuestions{std::min(bits, value_bits)};
  }

  std::vector<QuestionSpec> with_bits(std::uint32_t bits) const {
    std::vector<QuestionSpec> questions;
    for (std::uint32_t i = 0; i < base_.schema.size(); ++i) {
      questions.push_back(asked_.contains(problem_.alike[i]) ? question(i, bits) : ParityQuestions{});
    }
    return questions;
  }

  // Returns true if `questions` are the best so far.
  bool attempt(const std::vector<QuestionSpec>& questions) {
    if (work_ > kMostWork || std::ranges::find(tried_, questions) != tried_.end()) return false;
    tried_.push_back(questions);
    problem_.questions = questions;
    problem_.groups = groups_for(base_.schema, problem_, epsilon_);
    if (problem_.groups.empty()) return false;
    const Result<WeightedSets> weighted =
        best_set_weights(base_, order_, problem_, Against::kPopulation, Effort::kQuick);
    if (!weighted) return false;
    work_ += weighted->work;
    if (best_ && weighted->worst >= least_) return false;
    least_ = weighted->worst;
    best_ = questions;
    return true;
  }

  // Tries other questions about one kind of attributes after the other, as long as the largest variance falls.
  void improve() {
    for (bool better = true; better;) {
      better = false;
      for (const std::size_t alike : asked_) {
        const auto first =
            static_cast<std::uint32_t>(std::ranges::find(problem_.alike, alike) - problem_.alike.begin());
        std::vector<QuestionSpec> options;
        for (std::uint32_t bits = 1; bits <= most_bits(); ++bits) options.push_back(question(first, bits));
        for (const auto& questions : known_) options.push_back(questions[first]);
        for (const QuestionSpec& option : options) {
          std::vector<QuestionSpec> changed = *best_;
          for (std::size_t i = 0; i < changed.size(); ++i) {
            if (problem_.alike[i] == alike) changed[i] = option;
          }
          better = attempt(changed) || better;
        }
      }
    }
  }

  const TaskSpec& base_;
  std::uint32_t order_;
  double epsilon_;
  SetProblem problem_;
  std::set<std::size_t> asked_;
  std::vector<std::vector<QuestionSpec>> known_;
  std::vector<std::vector<QuestionSpec>> tried_;
  double work_ = 0;
  std::optional<std::vector<QuestionSpec>> best_;
  double least_ = 0;
};

}  // namespace

std::vector<SampledSpec> sets_and_questions(const TaskSpec& base, const Workload& workload,
                                            const std::vector<SampledSpec>& known) {
  std::optional<std::vector<WeightedProduct>> products =
      products_for(workload, base.schema, asked_alike(workload, base.schema));
  if (!products) return {};
  QuestionSearch search(base, workload, *std::move(products));
  search.add_known(known);
  return search.best();
}

}  // namespace hearsay::planner
