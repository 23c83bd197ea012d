#include "aggregator/central/laplace/distance_to_set.h"

#include <algorithm>

#include "common/base/try.h"

namespace hearsay::central {
namespace {

bool advance(std::vector<std::uint32_t>& database, std::uint32_t domain) {
  for (std::size_t i = database.size(); i > 0; --i) {
    if (++database[i - 1] < domain) return true;
    database[i - 1] = 0;
  }
  return false;
}

Result<void> check(std::uint32_t domain, std::size_t records) {
  if (domain == 0 || records == 0) {
    return Error{ErrorCode::kInvalidArgument, "the domain and the database must not be empty"};
  }
  std::uint64_t databases = 1;
  for (std::size_t i = 0; i < records && domain > 1; ++i) {
    databases *= domain;
    if (databases > DistanceToSet::kMostDatabases) {
      return Error{ErrorCode::kDomainTooLarge, "there are more than 2^20 databases to enumerate"};
    }
  }
  if (records > DistanceToSet::kMostDatabases) {
    return Error{ErrorCode::kDomainTooLarge, "a database may have at most 2^20 records"};
  }
  return {};
}

}  // namespace

Result<DistanceToSet> DistanceToSet::create(const Epsilon& epsilon, std::uint32_t domain, std::size_t records,
                                            const std::function<bool(std::span<const std::uint32_t>)>& has_property,
                                            Neighbours neighbours) {
  HEARSAY_CHECK_OK(check(domain, records));
  if (neighbours != Neighbours::kReplaceOne) {
    return Error{ErrorCode::kUnsupported, "the distance needs a public number of records: use replace-one"};
  }
  if (!has_property) return Error{ErrorCode::kInvalidArgument, "the property has no function"};
  std::vector<std::uint32_t> members;
  std::vector<std::uint32_t> database(records);
  do {
    if (has_property(database)) members.insert(members.end(), database.begin(), database.end());
  } while (advance(database, domain));
  if (members.empty()) return Error{ErrorCode::kInvalidArgument, "no database has the property"};
  HEARSAY_TRY(const LaplaceMechanism laplace, LaplaceMechanism::create(epsilon, whole(1), neighbours));
  return DistanceToSet(laplace, records, std::move(members));
}

Result<std::int64_t> DistanceToSet::statistic(std::span<const std::uint32_t> rows) const {
  if (rows.size() != records_)
    return Error{ErrorCode::kInvalidArgument,
                 "the number of records must be the number for which the mechanism was made"};
  auto least = static_cast<std::int64_t>(records_);
  for (auto member = members_.begin(); member != members_.end(); member += static_cast<std::ptrdiff_t>(records_)) {
    std::int64_t distance = 0;
    for (std::size_t i = 0; i < records_; ++i) distance += rows[i] != member[static_cast<std::ptrdiff_t>(i)] ? 1 : 0;
    least = std::min(least, distance);
  }
  return least;
}

Result<std::int64_t> DistanceToSet::release(std::span<const std::uint32_t> rows, BitSource& bits) const {
  HEARSAY_TRY(const std::int64_t distance, statistic(rows));
  return laplace_.release(distance, bits);
}

}  // namespace hearsay::central
