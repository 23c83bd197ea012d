// Lists all databases of a small domain, and which of them are neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "aggregator/central/audit/pair_loss.h"
#include "aggregator/central/neighbours.h"

namespace hearsay::central {

// Which databases an audit enumerates.
struct Universe {
  std::uint32_t domain;  // records are 0, ..., domain-1
  // The number of records under replace-one. The largest number of records under add-remove.
  std::uint32_t rows;
  Neighbours neighbours;
  // True if the mechanism can see the order of the records. If false, only sorted databases are listed.
  bool ordered;
  // Under add-remove, databases with fewer records are left out.
  std::uint32_t fewest = 0;
};

class Databases {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 14U;

  // Errors: kInvalidArgument (no value or no row), kDomainTooLarge (more than 2^14 databases).
  static Result<Databases> enumerate(const Universe& universe);

  std::size_t size() const { return all_.size(); }
  const Rows& operator[](std::size_t index) const { return all_[index]; }

  // Returns the databases that are exactly `distance` >= 1 changes away from database `from`. A change is a step
  // between neighbours.
  std::vector<std::size_t> at_distance(std::size_t from, std::uint32_t distance) const;

 private:
  void list_neighbours(const Universe& universe);
  std::vector<Rows> all_;
  std::vector<std::vector<std::size_t>> adjacent_;
};

}  // namespace hearsay::central
