#include "aggregator/store/rocks/merge_operators.h"

#include <deque>
#include <optional>

#include "aggregator/store/rocks/keys.h"
#include "aggregator/tally/tally.h"
#include "common/channel/channel.h"

namespace hearsay::store::rocks {
namespace {

// Adds up all operands: decodes each operand once and encodes the result once. Sum must have the functions add() and
// encode(). add(operand) returns false for an operand that cannot be added.
template <class Sum>
class Adder final : public rocksdb::MergeOperator {
 public:
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    Sum sum;
    if (in.existing_value != nullptr && !sum.add(in.existing_value->ToStringView())) return false;
    for (const rocksdb::Slice& operand : in.operand_list) {
      if (!sum.add(operand.ToStringView())) return false;
    }
    // A single operand is the sum itself, so it need not be encoded again. A single operand is the usual case if a
    // tally has many pairs.
    if (in.existing_value == nullptr && in.operand_list.size() == 1) {
      out->existing_operand = in.operand_list.front();
    } else {
      out->new_value = sum.encode();
    }
    return true;
  }

  // After a failure here, the operands stay as they are. FullMergeV2 will then fail on these operands.
  bool PartialMergeMulti(const rocksdb::Slice& /*key*/, const std::deque<rocksdb::Slice>& operands,
                         std::string* new_value, rocksdb::Logger* /*logger*/) const override {
    Sum sum;
    for (const rocksdb::Slice& operand : operands) {
      if (!sum.add(operand.ToStringView())) return false;
    }
    *new_value = sum.encode();
    return true;
  }

  const char* Name() const override { return Sum::kName; }
};

class TallySum {
 public:
  // RocksDB stores the name in the database, and refuses to open the database with a merge operator of another name.
  static constexpr const char* kName = "hearsay.tally";

  bool add(std::string_view operand) {
    auto tally = tally::Tally::decode(operand);
    if (!tally) return false;
    if (!sum_) {
      sum_ = *std::move(tally);
      return true;
    }
    return static_cast<bool>(sum_->merge(*tally));
  }
  std::string encode() const { return sum_ ? sum_->encode() : std::string(); }

 private:
  std::optional<tally::Tally> sum_;
};

class TotalsSum {
 public:
  static constexpr const char* kName = "hearsay.totals";

  bool add(std::string_view operand) {
    const auto totals = Totals::decode(operand);
    if (!totals) return false;
    sum_ += *totals;
    return true;
  }
  std::string encode() const { return sum_.encode(); }

 private:
  Totals sum_;
};

class CountSum {
 public:
  static constexpr const char* kName = "hearsay.count";

  bool add(std::string_view operand) {
    if (operand.size() != kIntegerSize) return false;
    sum_ += decode_integer(operand);
    return true;
  }
  std::string encode() const { return encode_integer(sum_); }

 private:
  std::uint64_t sum_ = 0;
};

}  // namespace

std::shared_ptr<rocksdb::MergeOperator> tally_merge() { return std::make_shared<Adder<TallySum>>(); }
std::shared_ptr<rocksdb::MergeOperator> totals_merge() { return std::make_shared<Adder<TotalsSum>>(); }
std::shared_ptr<rocksdb::MergeOperator> count_merge() { return std::make_shared<Adder<CountSum>>(); }

}  // namespace hearsay::store::rocks
