// The paper's h(z|x), h_{f,b}(z), C and U are those of section 3.
//
// E_f SD <= n√U/2. With c_xf = 1/|X_{f,1}| or -1/|X_{f,0}|, D_f(z) = h_{f,1}(z) - h_{f,0}(z) is Σ_x c_xf·(h(z|x) - m)
// for every m, since Σ_x c_xf = 0. For m halfway between the least, l(z), and the largest h(z|x), every bracket is at
// most (e^ε-1)/2·l(z), so Σ_f q_f·D_f(z)² <= ‖C·diag(q)^½‖²·M·((e^ε-1)·l(z)/2)² = U·l(z)², with
// FB = 2/(√M·‖C·diag(q)^½‖). By Jensen Σ_f q_f·|D_f(z)| <= √U·l(z), and Σ_z l(z) <= 1: E_f SD <= √U/2 for one report,
// and at most n times that for n of them. The class need not be balanced.
//
// E_f SD² <= nU/4. The squared Hellinger distance of one report, H² = ½Σ_z(√h_{f,1} - √h_{f,0})², is at most
// ½Σ_z D_f(z)²/(4l(z)), so E_f H² <= U/8. For n reports 1 - H_n² = (1 - H²)^n, and SD² <= 1 - (1 - H_n²)² <= 2n·H².
#include "aggregator/bounds/impossibility.h"

#include <algorithm>
#include <cmath>

namespace hearsay::bounds {
namespace {

// (e^ε-1)²B of Theorem 4.
double theorem4_u(double epsilon, double forster, double imbalance) {
  const double growth = std::expm1(epsilon);
  return growth * growth * (1 / (forster * forster) + 2 * std::sqrt(imbalance) / forster + imbalance);
}

}  // namespace

double bayes_error(double difference) { return (1 - difference) / 2; }

bool weakly_useful(double difference, double beta) { return bayes_error(difference) <= beta; }

double theorem3_u(double epsilon, double forster) {
  const double root = std::expm1(epsilon) / forster;
  return root * root;
}

double theorem3_difference(double users, double epsilon, double forster) {
  return 4 * users * std::cbrt(theorem3_u(epsilon, forster));
}

double theorem4_difference(double users, double epsilon, double forster, double imbalance) {
  return 2 * imbalance * users + 4 * users * std::cbrt(theorem4_u(epsilon, forster, imbalance));
}

Result<UsersNeeded> users_needed(double epsilon, double beta, double forster, double class_forster, double imbalance) {
  if (!(epsilon > 0) || !std::isfinite(epsilon) || !(beta > 0 && beta < 0.5)) {
    return Error{ErrorCode::kInvalidArgument, "epsilon must be positive, and beta between 0 and 1/2"};
  }
  if (!(forster > 0) || !(class_forster > 0) || !(imbalance >= 0 && imbalance <= 1)) {
    return Error{ErrorCode::kInvalidArgument, "a Forster bound is positive, and an imbalance between 0 and 1"};
  }
  const double success = 1 - 2 * beta;
  const double u = theorem3_u(epsilon, class_forster);
  UsersNeeded needed{{},
                     std::max(1.0, success / theorem4_difference(1, epsilon, forster, imbalance)),
                     std::max(1.0, 2 * success / std::sqrt(u)),
                     std::max(1.0, 4 * success * success / u)};
  if (imbalance == 0) needed.theorem3 = std::max(1.0, success / theorem3_difference(1, epsilon, forster));
  return needed;
}

double UsersNeeded::most() const { return std::max({theorem3.value_or(1), theorem4, expectation, hellinger}); }

}  // namespace hearsay::bounds
