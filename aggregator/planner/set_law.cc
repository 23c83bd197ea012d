// Symbols: those of set_prices.h. W_v is the weight of the list v of groups; C[v, T] is the probability that a report
// of this list asks about all of the set T. For each kind of groups and k = 2, 3, 4, X_k[T] = Σ_v W_v·γ_v^k·C[v, T] is
// a sum over the lists v of this kind. The terms of the variance are
//   I_T = X_2[T], noise·I_T² = X_2[T] - X_3[T] (single groups: X_2[T]),
//   signal(T, U)·I_T·I_U = X_3[T∪U], mean(T, U)·I_T·I_U = X_4[T∪U].
// All four are sums over the kinds of groups that cover the sets. Raw groups cover all sets. Even groups cover sets of
// even size. A single group covers only the whole set that it asks about. Of the terms for pairs, single groups have
// only mean(T, T). So a step costs one product of matrices, and some multiplications for each product of functions and
// each pair of its sets.

#include "aggregator/planner/set_law.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "common/base/try.h"

namespace hearsay::planner {
namespace {

constexpr std::size_t kMostFactors = 4;
constexpr double kMostNumbers = 0x1p16;  // the most kinds of people times pairs of sets
constexpr int kLaneKinds = static_cast<int>(GroupKind::kEven) + 1;
constexpr int kLanePowers = 3;  // the powers 2 to 4 of γ

// Returns the column of X_k, k = `power`, for groups of the kind `kind`. Derivatives by X_k have the same column.
Eigen::Index lane(GroupKind kind, int power) { return static_cast<int>(kind) * kLanePowers + (power - 2); }

bool is_even(Eigen::Index t) { return std::popcount(static_cast<std::uint64_t>(t) + 1) % 2 == 0; }
bool has_part(Eigen::Index t, std::size_t part) { return (static_cast<std::uint64_t>(t + 1) >> part & 1U) != 0; }

}  // namespace

Result<SetLaw> SetLaw::create(const Schema& schema, const std::vector<QuestionSpec>& questions,
                              const std::vector<std::size_t>& alike, Against against, bool adjust) {
  SetLaw law;
  law.against_ = against;
  std::map<std::size_t, std::size_t> known;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const auto [axis, fresh] = known.emplace(alike[i], law.axes_.size());
    law.axis_of_.push_back(axis->second);
    if (!fresh) continue;
    HEARSAY_TRY(AttributeFunctions functions, AttributeFunctions::create(questions[i], schema[i].size(), adjust));
    law.axes_.push_back(std::move(functions));
  }
  return law;
}

Result<void> SetLaw::add(const ProductFunction& function, double weight) {
  if (function.parts.empty()) return {};
  if (function.parts.size() > kMostFactors)
    return Error{ErrorCode::kLimitExceeded, "a query is a product of too many functions"};
  Product product;
  product.weight = weight;
  double kinds = 1;
  for (const ProductFunction::Part& part : function.parts) {
    const std::size_t axis = axis_of_[part.attribute];
    HEARSAY_TRY(const std::size_t number, axes_[axis].number_of(part.values));
    product.parts.push_back({axis, number, {}});
    kinds *= static_cast<double>(moments(product.parts.back()).kinds.size());
  }
  const std::size_t sets = (std::size_t{1} << function.parts.size()) - 1;
  if (kinds * static_cast<double>(sets * sets) > kMostNumbers) {
    return Error{ErrorCode::kLimitExceeded, "a query tells too many kinds of people apart"};
  }
  for (std::size_t set = 1; set <= sets; ++set) {
    std::vector<std::uint32_t> attributes;
    for (std::size_t i = 0; i < function.parts.size(); ++i) {
      if ((set >> i & 1U) != 0) attributes.push_back(function.parts[i].attribute);
    }
    const auto next = static_cast<Eigen::Index>(rows_.size());
    product.sets.push_back(rows_.emplace(std::move(attributes), next).first->second);
  }
  product.people = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(kinds), 1 / kinds);
  for (std::size_t number = 0; number < static_cast<std::size_t>(kinds); ++number) {
    for (std::size_t rest = number; Product::Part & part : product.parts) {
      part.kind_of.push_back(rest % moments(part).kinds.size());
      rest /= moments(part).kinds.size();
    }
  }
  set_moments(product);
  products_.push_back(std::move(product));
  return {};
}

void SetLaw::set_groups(const SampledChannel& channel, std::span<const std::size_t> list_sizes) {
  const auto lists = static_cast<Eigen::Index>(list_sizes.size());
  chances_ = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows_.size()), lists);
  powers_ = Eigen::MatrixXd::Zero(lists, kLaneKinds * kLanePowers);
  const auto classes = static_cast<double>(channel.classes().size());  // all classes are equally likely
  auto next = channel.classes().begin();
  for (Eigen::Index v = 0; v < lists; ++v) {
    const std::size_t size = list_sizes[static_cast<std::size_t>(v)];
    for (int power = 2; power < 2 + kLanePowers; ++power) {
      powers_(v, lane(next->kind, power)) = std::pow(channel.gamma(*next), power);
    }
    for (const SampledChannel::GroupClass& group_class : std::span(next, size)) {
      for (const auto& [attributes, row] : rows_) {
        if (group_class.kind == GroupKind::kSingle && attributes.size() != group_class.size) continue;
        chances_(row, v) += classes / static_cast<double>(size) * channel.asks_about(group_class, attributes, {});
      }
    }
    next += static_cast<std::ptrdiff_t>(size);
  }
  blocks_ = {lists};
  for (const AttributeFunctions& axis : axes_) blocks_.push_back(static_cast<Eigen::Index>(axis.weights()));
}

Eigen::VectorXd SetLaw::initial_weights() const {
  Eigen::VectorXd all(0);
  const auto append = [&](const Eigen::VectorXd& some) {
    Eigen::VectorXd both(all.size() + some.size());
    both << all, some;
    all = both;
  };
  append(Eigen::VectorXd::Constant(blocks_.front(), 1 / static_cast<double>(blocks_.front())));
  for (const AttributeFunctions& axis : axes_) {
    if (axis.weights() > 0) append(axis.initial_weights());
  }
  return all;
}

Eigen::VectorXd SetLaw::information(const Eigen::VectorXd& of_lists) const {
  const Eigen::MatrixXd sums = chances_ * (of_lists.asDiagonal() * powers_);
  Eigen::VectorXd all = sums.col(lane(GroupKind::kSingle, 2)) + sums.col(lane(GroupKind::kRaw, 2));
  for (const auto& [attributes, row] : rows_) {
    if (attributes.size() % 2 == 0) all[row] += sums(row, lane(GroupKind::kEven, 2));
  }
  return all;
}

double SetLaw::work() const {
  constexpr double kPerProduct = 3000;
  double work = static_cast<double>(chances_.size() * powers_.cols());
  for (const Product& product : products_) work += kPerProduct + 10 * static_cast<double>(product.products.size());
  for (std::size_t a = 0; a < axes_.size(); ++a) work += axes_[a].work();
  return work;
}

std::vector<QuestionSpec> SetLaw::questions(const Eigen::VectorXd& weights) const {
  std::vector<QuestionSpec> of_axes;
  Eigen::Index first = blocks_.front();
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    of_axes.push_back(axes_[a].spec(weights.segment(first, blocks_[a + 1])));
    first += blocks_[a + 1];
  }
  std::vector<QuestionSpec> questions;
  for (const std::size_t axis : axis_of_) questions.push_back(of_axes[axis]);
  return questions;
}

void SetLaw::set_moments(Product& product) const {
  const Eigen::Index sets = product.count();
  OfSets coefficients = OfSets::Ones(sets);
  product.energies = Eigen::VectorXd::Ones(sets);
  for (Eigen::Index t = 0; t < sets; ++t) {
    for (std::size_t i = 0; i < product.parts.size(); ++i) {
      const FunctionMoments& one = moments(product.parts[i]);
      (has_part(t, i) ? product.energies[t] : coefficients[t]) *= has_part(t, i) ? one.energy : one.mean;
    }
    product.energies[t] *= coefficients[t] * coefficients[t];
  }
  product.signals.resize(product.people.size(), sets);
  product.products.resize(product.people.size(), sets * sets);
  for (Eigen::Index number = 0; number < product.people.size(); ++number) {
    const auto kind = [&](std::size_t i) -> const FunctionMoments::Kind& {
      const Product::Part& part = product.parts[i];
      return moments(part).kinds[part.kind_of[static_cast<std::size_t>(number)]];
    };
    for (Eigen::Index t = 0; t < sets; ++t) {
      product.signals(number, t) = coefficients[t];
      for (std::size_t i = 0; i < product.parts.size(); ++i) {
        if (has_part(t, i)) product.signals(number, t) *= kind(i).deviation;
      }
    }
    for (Eigen::Index t = 0; t < sets; ++t) {
      for (Eigen::Index u = 0; u < sets; ++u) {
        double value = coefficients[t] * coefficients[u];
        for (std::size_t i = 0; i < product.parts.size(); ++i) {
          if (has_part(t, i) && has_part(u, i)) {
            value *= kind(i).moment;
          } else if (has_part(t, i) || has_part(u, i)) {
            value *= kind(i).deviation;
          }
        }
        product.products(number, t * sets + u) = value;
      }
    }
  }
}

SetLaw::Prices SetLaw::prices(const Product& product) const {
  const Eigen::Index sets = product.count();
  Prices prices;
  prices.information.resize(sets);
  prices.noise.resize(sets);
  prices.signal.resize(sets * sets);
  prices.mean.resize(sets, sets);
  const auto sum = [&](Eigen::Index set, GroupKind kind, int power) {
    return sums_(product.sets[static_cast<std::size_t>(set)], lane(kind, power));
  };
  const auto several = [&](Eigen::Index set, bool even, int power) {
    return sum(set, GroupKind::kRaw, power) + (even ? sum(set, GroupKind::kEven, power) : 0);
  };
  for (Eigen::Index t = 0; t < sets; ++t) {
    prices.information[t] = sum(t, GroupKind::kSingle, 2) + several(t, is_even(t), 2);
    prices.noise[t] =
        (prices.information[t] - several(t, is_even(t), 3)) / (prices.information[t] * prices.information[t]);
  }
  for (Eigen::Index t = 0; t < sets; ++t) {
    for (Eigen::Index u = 0; u < sets; ++u) {
      const Eigen::Index both = ((t + 1) | (u + 1)) - 1;
      const bool even = is_even(t) && is_even(u);
      const double scale = 1 / (prices.information[t] * prices.information[u]);
      prices.signal[t * sets + u] = several(both, even, 3) * scale;
      prices.mean(t, u) = (several(both, even, 4) + (t == u ? sum(t, GroupKind::kSingle, 4) : 0)) * scale;
    }
  }
  return prices;
}

// Takes steps as in worst_population.h. Starts from the worst population of the last call.
double SetLaw::worst(Product& product) const {
  constexpr int kMostGradientSteps = 20;
  constexpr double kTolerance = 1e-4;
  Prices at = prices(product);
  Eigen::VectorXd second = (product.products * at.signal).array() + at.noise.dot(product.energies);
  if (against_ == Against::kReporters) {  // subtracts the variance of the product, which is Σ_T f_T up to a constant
    second.array() -= product.signals.rowwise().sum().array().square();
    at.mean.array() -= 1;
  }
  Eigen::VectorXd& people = product.people;
  for (int step = 0;; ++step) {
    const OfSets means = product.signals.transpose() * people;
    const OfSets pulls = at.mean * means;
    const double value = people.dot(second) - means.dot(pulls);
    Eigen::VectorXd slopes = second - 2 * (product.signals * pulls);
    slopes.array() -= people.dot(slopes);
    Eigen::Index steepest = 0;
    const double best = slopes.maxCoeff(&steepest);
    if (best <= kTolerance * value || step == kMostGradientSteps) return value + best;
    Eigen::VectorXd direction = people.cwiseProduct(slopes);
    if (step % 2 == 1) {
      Eigen::Index from = 0;
      (people.array() * (best - slopes.array())).maxCoeff(&from);
      direction.setZero();
      direction[steepest] += 1;
      direction[from] -= 1;
    }
    const double slope = direction.dot(slopes);
    if (!(slope > 0)) continue;
    const OfSets moved = product.signals.transpose() * direction;
    const double bend = moved.dot(at.mean * moved);
    double length = bend > 0 ? slope / (2 * bend) : std::numeric_limits<double>::infinity();
    for (Eigen::Index k = 0; k < people.size(); ++k) {
      if (direction[k] < 0) length = std::min(length, people[k] / -direction[k]);
    }
    people = (people + length * direction).cwiseMax(0);
    people /= people.sum();
  }
}

Eigen::VectorXd SetLaw::values(const Eigen::VectorXd& weights) {
  sums_ = chances_ * (weights.head(blocks_.front()).asDiagonal() * powers_);
  Eigen::Index first = blocks_.front();
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (blocks_[a + 1] > 0) axes_[a].set_weights(weights.segment(first, blocks_[a + 1]));
    first += blocks_[a + 1];
  }
  Eigen::VectorXd values(static_cast<Eigen::Index>(products_.size()));
  for (std::size_t q = 0; q < products_.size(); ++q) {
    if (first > blocks_.front()) set_moments(products_[q]);
    values[static_cast<Eigen::Index>(q)] = products_[q].weight * worst(products_[q]);
  }
  return values;
}

Eigen::VectorXd SetLaw::gradient(const Eigen::VectorXd& shares) const {
  constexpr double kNothing = 1e-9;  // shares below this part of the largest share do not count
  Eigen::MatrixXd by_sums = Eigen::MatrixXd::Zero(sums_.rows(), sums_.cols());
  std::vector<Eigen::VectorXd> by_questions;
  Eigen::Index count = blocks_.front();
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    by_questions.emplace_back(Eigen::VectorXd::Zero(blocks_[a + 1]));
    count += blocks_[a + 1];
  }
  for (std::size_t q = 0; q < products_.size(); ++q) {
    const double share = shares[static_cast<Eigen::Index>(q)] * products_[q].weight;
    if (share <= kNothing * shares.maxCoeff()) continue;
    const Prices at = prices(products_[q]);
    add_set_slopes(products_[q], at, share, by_sums);
    add_question_slopes(products_[q], at, share, by_questions);
  }
  Eigen::VectorXd gradient(count);
  gradient.head(blocks_.front()) = (chances_.transpose() * by_sums).cwiseProduct(powers_).rowwise().sum();
  Eigen::Index first = blocks_.front();
  for (const Eigen::VectorXd& some : by_questions) {
    gradient.segment(first, some.size()) = some;
    first += some.size();
  }
  return gradient;
}

void SetLaw::add_set_slopes(const Product& product, const Prices& at, double share, Eigen::MatrixXd& slopes) const {
  const OfSets means = product.signals.transpose() * product.people;
  const Eigen::VectorXd products = product.products.transpose() * product.people;
  const Eigen::Index sets = product.count();
  const auto add = [&](Eigen::Index set, GroupKind kind, int power, double slope) {
    slopes(product.sets[static_cast<std::size_t>(set)], lane(kind, power)) += share * slope;
  };
  for (Eigen::Index t = 0; t < sets; ++t) {
    const double square = 1 / (at.information[t] * at.information[t]);
    double pull = 2 * at.noise[t] * product.energies[t];  // -I_T times the derivative of the variance by I_T
    for (Eigen::Index u = 0; u < sets; ++u) {
      const double second = products[t * sets + u];
      const double mean = means[t] * means[u];
      const double scale = 1 / (at.information[t] * at.information[u]);
      pull += 2 * (at.signal[t * sets + u] * second - at.mean(t, u) * mean);
      const Eigen::Index both = ((t + 1) | (u + 1)) - 1;
      for (const GroupKind kind : {GroupKind::kRaw, GroupKind::kEven}) {
        if (kind == GroupKind::kEven && !(is_even(t) && is_even(u))) continue;
        add(both, kind, 3, second * scale);
        add(both, kind, 4, -mean * scale);
      }
    }
    const double noise = product.energies[t] * square;
    add(t, GroupKind::kSingle, 2, noise - pull / at.information[t]);
    add(t, GroupKind::kSingle, 4, -means[t] * means[t] * square);
    for (const GroupKind kind : {GroupKind::kRaw, GroupKind::kEven}) {
      if (kind == GroupKind::kEven && !is_even(t)) continue;
      add(t, kind, 2, noise - pull / at.information[t]);
      add(t, kind, 3, -noise);
    }
  }
}

void SetLaw::add_question_slopes(const Product& product, const Prices& at, double share,
                                 std::vector<Eigen::VectorXd>& slopes) const {
  const Eigen::Index sets = product.count();
  for (std::size_t i = 0; i < product.parts.size(); ++i) {
    const Product::Part& part = product.parts[i];
    if (axes_[part.axis].weights() == 0) continue;
    const FunctionMoments& one = moments(part);
    double by_energy = 0;
    std::vector<double> by_moment(one.kinds.size(), 0.0);
    for (Eigen::Index t = 0; t < sets; ++t) {
      if (has_part(t, i)) by_energy += share * at.noise[t] * product.energies[t] / one.energy;
    }
    for (Eigen::Index number = 0; number < product.people.size(); ++number) {
      const std::size_t kind = part.kind_of[static_cast<std::size_t>(number)];
      if (product.people[number] == 0 || one.kinds[kind].moment == 0) continue;
      double sum = 0;
      for (Eigen::Index pair = 0; pair < sets * sets; ++pair) {
        if (!has_part(pair / sets, i) || !has_part(pair % sets, i)) continue;
        sum += at.signal[pair] * product.products(number, pair);
      }
      by_moment[kind] += share * product.people[number] * sum / one.kinds[kind].moment;
    }
    axes_[part.axis].add_slopes(part.number, by_energy, by_moment, slopes[part.axis]);
  }
}

}  // namespace hearsay::planner
