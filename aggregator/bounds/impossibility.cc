// Symbols: h(z|x), h_{f,b}(z), C and U are those of section 3 of Aldà and Simon 2014. h(z) is the mean of h(z|x) over
// the M records x.
//
// Let c_xf = 1/|X_{f,1}| if x satisfies f, and -1/|X_{f,0}| otherwise. Since Σ_x c_xf = 0, the difference D_f(z) =
// h_{f,1}(z) - h_{f,0}(z) is Σ_x c_xf·(h(z|x) - h(z)), also if the class is not balanced. So Σ_f q_f·D_f(z)² <=
// ‖C·diag(q)^½‖²·Σ_x (h(z|x) - h(z))². The norm is 2/(√M·FB). If all h(z|x) lie between l(z) and r·l(z), r = e^ε, the
// sum over x is at most M(r·l - h)(h - l) (Bhatia and Davis).
//
// With l = h/t, (r·l - h)(h - l) = h²(r - t)(t - 1)/t². Its largest value, at t = 2r/(r+1), is h²·sinh²(ε/2). By
// Jensen's inequality, E_f SD = ½Σ_z E_f |D_f(z)| <= sinh(ε/2)/FB for one report. For n reports the bound is n times as
// large.
//
// The squared Hellinger distance of one report, H² = ½Σ_z (√h_{f,1} - √h_{f,0})², is at most ½Σ_z D_f(z)²/(4l(z)). The
// product (r·l - h)(h - l)/l = h(r - t)(t - 1)/t has its largest value h(√r - 1)² at t = √r. So E_f H² <= (√r -
// 1)²/(2·FB²). For n reports 1 - H_n² = (1 - H²)^n, and SD² <= 1 - (1 - H_n²)² <= 2n·H².
#include "aggregator/bounds/impossibility.h"

#include <algorithm>
#include <cmath>

namespace hearsay::bounds {
namespace {

// Returns (e^ε-1)²B of Theorem 4.
double theorem4_u(double epsilon, double forster, double imbalance) {
  const double growth = std::expm1(epsilon);
  return growth * growth * (1 / (forster * forster) + 2 * std::sqrt(imbalance) / forster + imbalance);
}

}  // namespace

double bayes_error(double difference) { return (1 - difference) / 2; }

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

double expected_difference(double users, double epsilon, double class_forster) {
  return users * std::sinh(epsilon / 2) / class_forster;
}

double expected_square(double users, double epsilon, double class_forster) {
  const double root = std::expm1(epsilon / 2) / class_forster;
  return users * root * root;
}

Result<UsersNeeded> users_needed(double epsilon, double beta, double forster, double class_forster, double imbalance) {
  if (!(epsilon > 0) || !std::isfinite(epsilon) || !(beta > 0 && beta < 0.5)) {
    return Error{ErrorCode::kInvalidArgument, "epsilon must be positive, and beta between 0 and 1/2"};
  }
  if (!(forster > 0) || !(class_forster > 0) || !(imbalance >= 0 && imbalance <= 1)) {
    return Error{ErrorCode::kInvalidArgument, "a Forster bound must be positive, and an imbalance between 0 and 1"};
  }
  const double success = 1 - 2 * beta;
  UsersNeeded needed{{},
                     std::max(1.0, success / theorem4_difference(1, epsilon, forster, imbalance)),
                     std::max(1.0, success / expected_difference(1, epsilon, class_forster)),
                     std::max(1.0, success * success / expected_square(1, epsilon, class_forster))};
  if (imbalance == 0) needed.theorem3 = std::max(1.0, success / theorem3_difference(1, epsilon, forster));
  return needed;
}

double UsersNeeded::most() const { return std::max({theorem3.value_or(1), theorem4, expectation, hellinger}); }

}  // namespace hearsay::bounds
