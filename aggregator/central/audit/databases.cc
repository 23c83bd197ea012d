#include "aggregator/central/audit/databases.h"

#include <algorithm>
#include <set>

namespace hearsay::central {
namespace {

Error too_many() {
  return Error{ErrorCode::kDomainTooLarge, "there are more than 2^14 databases; take a smaller domain or fewer rows"};
}

bool append(const Universe& universe, std::uint32_t rows, std::vector<Rows>& all) {
  Rows now(rows, 0);
  for (;;) {
    if (all.size() == Databases::kMost) return false;
    all.push_back(now);
    auto last = std::find_if(now.rbegin(), now.rend(), [&](std::uint32_t v) { return v + 1 < universe.domain; });
    if (last == now.rend()) return true;
    const std::uint32_t raised = ++*last;
    std::fill(now.rbegin(), last, universe.ordered ? 0 : raised);
  }
}

}  // namespace

Result<Databases> Databases::enumerate(const Universe& universe) {
  if (universe.domain == 0 || universe.rows == 0) {
    return Error{ErrorCode::kInvalidArgument, "an audit needs at least one value and one row"};
  }
  if (universe.rows > kMost) return too_many();
  Databases databases;
  const bool fixed = universe.neighbours == Neighbours::kReplaceOne;
  for (std::uint32_t rows = fixed ? universe.rows : universe.fewest; rows <= universe.rows; ++rows) {
    if (!append(universe, rows, databases.all_)) return too_many();
  }
  databases.list_neighbours(universe);
  return databases;
}

void Databases::list_neighbours(const Universe& universe) {
  std::map<Rows, std::size_t> index;
  for (std::size_t i = 0; i < all_.size(); ++i) index.emplace(all_[i], i);
  for (const Rows& rows : all_) {
    std::set<std::size_t> near;
    const auto add = [&](Rows changed) {
      if (!universe.ordered) std::sort(changed.begin(), changed.end());
      if (changed == rows) return;
      if (const auto at = index.find(changed); at != index.end()) near.insert(at->second);
    };
    for (std::size_t i = 0; i <= rows.size(); ++i) {
      const auto place = static_cast<std::ptrdiff_t>(i);
      for (std::uint32_t value = 0; value < universe.domain; ++value) {
        Rows changed = rows;
        if (universe.neighbours == Neighbours::kAddRemove) {
          changed.insert(changed.begin() + place, value);
        } else if (i < rows.size()) {
          changed[i] = value;
        }
        add(std::move(changed));
      }
      if (universe.neighbours == Neighbours::kAddRemove && i < rows.size()) {
        Rows changed = rows;
        changed.erase(changed.begin() + place);
        add(std::move(changed));
      }
    }
    adjacent_.emplace_back(near.begin(), near.end());
  }
}

std::vector<std::size_t> Databases::at_distance(std::size_t from, std::uint32_t distance) const {
  std::set<std::size_t> seen{from};
  std::vector<std::size_t> now{from};
  for (std::uint32_t step = 0; step < distance; ++step) {
    std::vector<std::size_t> next;
    for (const std::size_t database : now) {
      for (const std::size_t near : adjacent_[database]) {
        if (seen.insert(near).second) next.push_back(near);
      }
    }
    now = std::move(next);
  }
  std::sort(now.begin(), now.end());
  return now;
}

}  // namespace hearsay::central
