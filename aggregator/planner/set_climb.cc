#include "aggregator/planner/set_climb.h"

#include <cstddef>

namespace hearsay::planner {

Eigen::VectorXd membership_of(const RecordSet& set) {
  Eigen::VectorXd function(static_cast<Eigen::Index>(set.size()));
  for (std::size_t x = 0; x < set.size(); ++x) function[static_cast<Eigen::Index>(x)] = set[x] ? 1 : 0;
  return function;
}

ClimbedSet climb(const RecordSet& set, const Eigen::MatrixXd& covariances, const SetScale& scale) {
  const Eigen::Index records = covariances.rows();
  const double share = 1 / static_cast<double>(records);
  Eigen::VectorXd function = membership_of(set);
  Eigen::VectorXd together = covariances * function;
  double sum = function.dot(together);
  double part = function.mean();
  double gain = scale.of(part) * sum;
  // The work of trying to change one record, in multiplications. A division counts as several multiplications.
  constexpr double kPerRecord = 12;
  double work = static_cast<double>(records * records);
  // The limit on steps ends a climb in which the gain rises by rounding alone.
  for (Eigen::Index step = 0; step < 4 * records; ++step) {
    Eigen::Index best = -1;
    double most = gain * (1 + 1e-9);
    for (Eigen::Index x = 0; x < records; ++x) {
      const double change = function[x] > 0 ? -1 : 1;
      const double value = scale.of(part + change * share) * (sum + 2 * change * together[x] + covariances(x, x));
      if (value > most) {
        most = value;
        best = x;
      }
    }
    work += kPerRecord * static_cast<double>(records);
    if (best < 0) break;
    const double change = function[best] > 0 ? -1 : 1;
    sum += 2 * change * together[best] + covariances(best, best);
    part += change * share;
    together += change * covariances.col(best);
    function[best] += change;
    gain = most;
  }
  ClimbedSet result{gain, RecordSet(set.size()), work};
  for (std::size_t x = 0; x < set.size(); ++x) result.set[x] = function[static_cast<Eigen::Index>(x)] > 0;
  return result;
}

}  // namespace hearsay::planner
