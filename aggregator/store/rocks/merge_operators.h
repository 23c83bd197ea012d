// How RocksDB adds up the values of one key; see format.md.
#pragma once

#include <rocksdb/merge_operator.h>

#include <memory>

namespace hearsay::store::rocks {

// Adds encoded tallies. Fails on an operand that does not decode or has another shape.
std::shared_ptr<rocksdb::MergeOperator> tally_merge();

// Adds encoded Totals, member by member. Fails on an operand that does not decode.
std::shared_ptr<rocksdb::MergeOperator> totals_merge();
std::shared_ptr<rocksdb::MergeOperator> count_merge();

}  // namespace hearsay::store::rocks
