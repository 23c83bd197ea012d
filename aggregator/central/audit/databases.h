// All databases of a small domain, and which of them are neighbours.
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
  std::uint32_t rows;    // so many under replace-one; at most so many under add-remove
  Neighbours neighbours;
  bool ordered;  // whether the mechanism can see the order of the records; if not, only sorted ones are listed
  std::uint32_t fewest = 0;  // under add-remove: databases with fewer records are left out
};

class Databases {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 14U;

  // Errors: kInvalidArgument for no value or no row; kDomainTooLarge above 2^14 databases.
  static Result<Databases> enumerate(const Universe& universe);

  std::size_t size() const { return all_.size(); }
  const Rows& operator[](std::size_t index) const { return all_[index]; }

  // The databases at exactly so many changes from one, 1 <= distance, in steps between neighbours.
  std::vector<std::size_t> at_distance(std::size_t from, std::uint32_t distance) const;

 private:
  void list_neighbours(const Universe& universe);
  std::vector<Rows> all_;
  std::vector<std::vector<std::size_t>> adjacent_;
};

}  // namespace hearsay::central
