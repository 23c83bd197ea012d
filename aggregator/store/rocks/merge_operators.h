// Lets RocksDB add up the values of one key; see format.md.
#pragma once

#include <rocksdb/merge_operator.h>

#include <memory>

namespace hearsay::store::rocks {

// Adds encoded tallies. Fails on an operand that cannot be decoded, or that is of another kind or size than the other
// operands.
std::shared_ptr<rocksdb::MergeOperator> tally_merge();

// Adds encoded Totals, member by member. Fails on an operand that cannot be decoded.
std::shared_ptr<rocksdb::MergeOperator> totals_merge();
std::shared_ptr<rocksdb::MergeOperator> count_merge();

}  // namespace hearsay::store::rocks
