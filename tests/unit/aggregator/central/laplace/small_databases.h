// Lists all small databases and their neighbours.
#pragma once

#include <cstdint>
#include <vector>

namespace hearsay::central {

using Rows = std::vector<std::uint32_t>;

inline std::vector<Rows> all_databases(std::uint32_t domain, std::size_t records) {
  std::vector<Rows> all{{}};
  for (std::size_t i = 0; i < records; ++i) {
    std::vector<Rows> longer;
    for (const Rows& rows : all) {
      for (std::uint32_t value = 0; value < domain; ++value) {
        longer.push_back(rows);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// Calls visit(rows, neighbour) for every database of `records` records, and every database with one of the records
// replaced.
template <class Visit>
void for_each_replacement(std::uint32_t domain, std::size_t records, const Visit& visit) {
  for (const Rows& rows : all_databases(domain, records)) {
    for (std::size_t i = 0; i < records; ++i) {
      for (std::uint32_t value = 0; value < domain; ++value) {
        if (value == rows[i]) continue;
        Rows neighbour = rows;
        neighbour[i] = value;
        visit(rows, neighbour);
      }
    }
  }
}

// Calls visit(rows, neighbour) for every database of `records` records, and every database with one of the records
// removed.
template <class Visit>
void for_each_removal(std::uint32_t domain, std::size_t records, const Visit& visit) {
  for (const Rows& rows : all_databases(domain, records)) {
    for (std::size_t i = 0; i < records; ++i) {
      Rows neighbour = rows;
      neighbour.erase(neighbour.begin() + static_cast<std::ptrdiff_t>(i));
      visit(rows, neighbour);
    }
  }
}

}  // namespace hearsay::central
